//! Names of the months in the main European languages, as they are written in dates.

use std::collections::HashMap;
use std::sync::LazyLock;

/// By month: full names and usual short forms, in the cases that dates take.
const MONTHS: [&str; 12] = [
    "jan january januar jänner janvier janv enero ene gennaio gen janeiro januari tammikuuta stycznia styczeń ledna leden január januára ianuarie ian ocak oca января январь янв січня січень ιανουαρίου ιαν",
    "feb february februar février fevrier févr fév febrero febbraio fevereiro fev februari helmikuuta lutego luty února únor február februára februarie şubat şub февраля февраль фев лютого лютий φεβρουαρίου φεβ",
    "mar march märz mär mrz mars marzo março maart mrt marts maaliskuuta marca marzec března březen március márc martie mart марта март березня березень μαρτίου μαρ",
    "apr april avril avr abril abr aprile huhtikuuta kwietnia kwiecień dubna duben április ápr apríla aprilie nisan nis апреля апрель апр квітня квітень απριλίου απρ",
    "may mai mayo maggio mag maio mei maj toukokuuta maja května květen május máj mája mayıs мая май травня травень μαΐου μαϊ",
    "jun june juni juin junio giugno giu junho kesäkuuta czerwca czerwiec června červen június jún júna iunie iun haziran haz июня июнь июн червня червень ιουνίου ιουν",
    "jul july juli juillet juil julio luglio lug julho heinäkuuta lipca lipiec července červenec július júl júla iulie iul temmuz tem июля июль июл липня липень ιουλίου ιουλ",
    "aug august août aout agosto ago augustus augusti elokuuta sierpnia sierpień srpna srpen augusztus augusta ağustos ağu августа август авг серпня серпень αυγούστου αυγ",
    "sep sept september septembre septiembre settembre set setembro syyskuuta września wrzesień září szeptember szept septembra septembrie eylül eyl сентября сентябрь сен сент вересня вересень σεπτεμβρίου σεπ",
    "oct october oktober okt octobre octubre ottobre ott outubro out lokakuuta października październik října říjen október októbra octombrie ekim eki октября октябрь окт жовтня жовтень οκτωβρίου οκτ",
    "nov november novembre noviembre novembro marraskuuta listopada listopad listopadu novembra noiembrie noi kasım kas ноября ноябрь ноя нояб листопада листопад νοεμβρίου νοε",
    "dec december dezember dez décembre decembre déc diciembre dic dicembre dezembro desember des joulukuuta grudnia grudzień prosince prosinec decembra decembrie aralık ara декабря декабрь дек грудня грудень δεκεμβρίου δεκ",
];

static MONTH_BY_NAME: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let numbered = (1..).zip(MONTHS);
    numbered
        .flat_map(|(month, names)| names.split(' ').map(move |name| (name, month)))
        .collect()
});

/// The month, 1 to 12, that `word` names.
pub(super) fn month_of(word: &str) -> Option<u8> {
    // No month's name is shorter or longer; most words end here.
    if !(3..=24).contains(&word.len()) {
        return None;
    }
    MONTH_BY_NAME.get(word.to_lowercase().as_str()).copied()
}
