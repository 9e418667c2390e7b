//! Where a visitor seems to be: the languages and the time zone that people of a country have.

use super::{
    InvalidOption,
    mistake::{check_count, check_length},
};
use crate::Location;

/// Longest name in the IANA database, with room to grow.
const MAX_TIMEZONE_BYTES: usize = 64;

/// ISO 3166-1 alpha-2, the language that most visitors have, and the time zone of the largest city.
const COUNTRIES: [(&str, &str, &str); 48] = [
    ("AE", "ar-AE", "Asia/Dubai"),
    ("AR", "es-AR", "America/Argentina/Buenos_Aires"),
    ("AT", "de-AT", "Europe/Vienna"),
    ("AU", "en-AU", "Australia/Sydney"),
    ("BE", "nl-BE", "Europe/Brussels"),
    ("BG", "bg-BG", "Europe/Sofia"),
    ("BR", "pt-BR", "America/Sao_Paulo"),
    ("CA", "en-CA", "America/Toronto"),
    ("CH", "de-CH", "Europe/Zurich"),
    ("CL", "es-CL", "America/Santiago"),
    ("CN", "zh-CN", "Asia/Shanghai"),
    ("CO", "es-CO", "America/Bogota"),
    ("CZ", "cs-CZ", "Europe/Prague"),
    ("DE", "de-DE", "Europe/Berlin"),
    ("DK", "da-DK", "Europe/Copenhagen"),
    ("EG", "ar-EG", "Africa/Cairo"),
    ("ES", "es-ES", "Europe/Madrid"),
    ("FI", "fi-FI", "Europe/Helsinki"),
    ("FR", "fr-FR", "Europe/Paris"),
    ("GB", "en-GB", "Europe/London"),
    ("GR", "el-GR", "Europe/Athens"),
    ("HK", "zh-HK", "Asia/Hong_Kong"),
    ("HU", "hu-HU", "Europe/Budapest"),
    ("ID", "id-ID", "Asia/Jakarta"),
    ("IE", "en-IE", "Europe/Dublin"),
    ("IL", "he-IL", "Asia/Jerusalem"),
    ("IN", "en-IN", "Asia/Kolkata"),
    ("IT", "it-IT", "Europe/Rome"),
    ("JP", "ja-JP", "Asia/Tokyo"),
    ("KR", "ko-KR", "Asia/Seoul"),
    ("LU", "fr-LU", "Europe/Luxembourg"),
    ("MX", "es-MX", "America/Mexico_City"),
    ("MY", "ms-MY", "Asia/Kuala_Lumpur"),
    ("NL", "nl-NL", "Europe/Amsterdam"),
    ("NO", "nb-NO", "Europe/Oslo"),
    ("NZ", "en-NZ", "Pacific/Auckland"),
    ("PL", "pl-PL", "Europe/Warsaw"),
    ("PT", "pt-PT", "Europe/Lisbon"),
    ("RO", "ro-RO", "Europe/Bucharest"),
    ("SE", "sv-SE", "Europe/Stockholm"),
    ("SG", "en-SG", "Asia/Singapore"),
    ("TH", "th-TH", "Asia/Bangkok"),
    ("TR", "tr-TR", "Europe/Istanbul"),
    ("TW", "zh-TW", "Asia/Taipei"),
    ("UA", "uk-UA", "Europe/Kyiv"),
    ("US", "en-US", "America/New_York"),
    ("VN", "vi-VN", "Asia/Ho_Chi_Minh"),
    ("ZA", "en-ZA", "Africa/Johannesburg"),
];

/// Languages, best first, and the time zone; what the caller names goes before what his country
/// has.
pub(super) fn parse_place(
    location: Option<Location>,
) -> Result<(Vec<String>, Option<String>), InvalidOption> {
    let Location {
        country,
        languages,
        timezone,
    } = location.unwrap_or_default();
    check_languages(&languages)?;
    if let Some(timezone) = &timezone {
        check_timezone(timezone)?;
    }
    let Some(country) = country else {
        return Ok((languages, timezone));
    };
    let (_, language, its_timezone) = find(&country)?;
    let languages = match languages.is_empty() {
        true => vec![(*language).to_owned()],
        false => languages,
    };
    Ok((
        languages,
        timezone.or_else(|| Some((*its_timezone).to_owned())),
    ))
}

fn find(
    country: &str,
) -> Result<&'static (&'static str, &'static str, &'static str), InvalidOption> {
    let found = COUNTRIES
        .iter()
        .find(|(code, ..)| code.eq_ignore_ascii_case(country));
    found.ok_or_else(|| {
        let codes: Vec<&str> = COUNTRIES.iter().map(|(code, ..)| *code).collect();
        InvalidOption::new(
            "location.country",
            format!(
                "is none of the countries whose language and time zone are known ({}); leave it \
                 out, and name location.languages and location.timezone",
                codes.join(", ")
            ),
        )
    })
}

fn check_languages(languages: &[String]) -> Result<(), InvalidOption> {
    check_count("location.languages", languages.len())?;
    let is_tag = |tag: &String| {
        (2..=35).contains(&tag.len())
            && tag.split('-').all(|part| {
                (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
            })
    };
    match languages.iter().position(|tag| !is_tag(tag)) {
        Some(index) => Err(InvalidOption::new(
            format!("location.languages[{index}]"),
            "is not a language tag such as en-GB",
        )),
        None => Ok(()),
    }
}

/// By its spelling: which zones there are changes every year, and the browser knows.
fn check_timezone(timezone: &str) -> Result<(), InvalidOption> {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'))
    };
    let is_zone = timezone == "UTC" || timezone.contains('/');
    if is_zone
        && check_length(timezone, MAX_TIMEZONE_BYTES).is_ok()
        && timezone.split('/').all(is_part)
    {
        return Ok(());
    }
    Err(InvalidOption::new(
        "location.timezone",
        "is not an IANA time zone such as Europe/Berlin",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_is_well_formed_and_there_once() {
        for pair in COUNTRIES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{pair:?}");
        }
        for (code, language, timezone) in COUNTRIES {
            assert!(language.ends_with(&format!("-{code}")), "{code}");
            check_languages(&[language.to_owned()]).unwrap();
            check_timezone(timezone).unwrap();
        }
    }

    #[test]
    fn what_the_caller_names_goes_before_what_his_country_has() {
        let place = |country: &str, languages: &[&str], timezone: Option<&str>| {
            parse_place(Some(Location {
                country: Some(country.to_owned()),
                languages: languages.iter().map(|tag| (*tag).to_owned()).collect(),
                timezone: timezone.map(str::to_owned),
            }))
            .unwrap()
        };
        let berlin = Some("Europe/Berlin".to_owned());
        assert_eq!(
            place("de", &[], None),
            (vec!["de-DE".into()], berlin.clone())
        );
        assert_eq!(place("DE", &["tr"], None), (vec!["tr".into()], berlin));
        let utc = place("DE", &[], Some("UTC"));
        assert_eq!(utc, (vec!["de-DE".into()], Some("UTC".into())));
        assert_eq!(parse_place(None).unwrap(), (Vec::new(), None));
    }
}
