//! Reads dates as people and programs write them and gives RFC 3339: a date-time when day, time and
//! offset are all written, otherwise the date alone. What is ambiguous or impossible is no date;
//! there is no clock here, so relative dates ("yesterday") are none either.

use jiff::{Timestamp, civil::Date};

use super::month::month_of;

/// Longer texts are looked at up to here: dates stand at the start of what names them.
const MAX_LENGTH: usize = 240;
/// Years outside are misread numbers, or not the date of a web page.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2100;

/// Which of day and month comes first in `03/04/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DayOrder {
    DayFirst,
    MonthFirst,
    Unknown,
}

impl DayOrder {
    /// From a BCP 47 tag: English without a region is written in both orders, mostly the American.
    pub(crate) fn of_language(language: Option<&str>) -> DayOrder {
        let Some(language) = language else {
            return DayOrder::Unknown;
        };
        let mut parts = language.split(['-', '_']);
        let is_english = parts
            .next()
            .is_some_and(|part| part.eq_ignore_ascii_case("en"));
        match (is_english, parts.next_back()) {
            (true, None) => DayOrder::MonthFirst,
            (true, Some(region)) if region.eq_ignore_ascii_case("us") => DayOrder::MonthFirst,
            _ => DayOrder::DayFirst,
        }
    }
}

/// The first date in `text`.
pub(crate) fn find_date(text: &str, order: DayOrder) -> Option<String> {
    let tokens = tokenise(text);
    (0..tokens.len()).find_map(|at| {
        // A number that follows a number and a mark is the tail of something longer.
        let (date, next) = date_at(&tokens, at, order)?;
        Some(with_time(date, &tokens[next..]))
    })
}

/// A machine's date: like [`find_date`], and also seconds or milliseconds since 1970.
pub(crate) fn read_date(text: &str, order: DayOrder) -> Option<String> {
    let text = text.trim();
    if matches!(text.len(), 10 | 13) && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        let millis = if text.len() == 10 {
            number * 1000
        } else {
            number
        };
        let time = Timestamp::from_millisecond(millis).ok()?;
        return Some(time.to_string());
    }
    find_date(text, order)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token<'a> {
    Number(&'a str),
    Word(&'a str),
    Mark(char),
    Gap,
}

fn tokenise(text: &str) -> Vec<Token<'_>> {
    let text = &text[..text.floor_char_boundary(MAX_LENGTH)];
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end_of = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_digit() {
            let end = end_of(|c| c.is_ascii_digit());
            (Token::Number(&rest[..end]), end)
        } else if is_date_ideograph(first) {
            (Token::Mark(first), first.len_utf8())
        } else if first.is_alphabetic() {
            let end = end_of(|c| c.is_alphabetic() && !is_date_ideograph(c));
            (Token::Word(&rest[..end]), end)
        } else if first.is_whitespace() {
            (Token::Gap, end_of(char::is_whitespace))
        } else {
            (Token::Mark(first), first.len_utf8())
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    tokens
}

/// Year, month and day of Chinese, Japanese and Korean.
fn is_date_ideograph(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '号' | '號' | '년' | '월' | '일')
}

/// A date that starts at token `at`, and the token after it.
fn date_at(tokens: &[Token<'_>], at: usize, order: DayOrder) -> Option<(Date, usize)> {
    match tokens[at] {
        Token::Number(first) if !is_tail_of_number(tokens, at) => ideographic(tokens, at, first)
            .or_else(|| compact(tokens, at, first))
            .or_else(|| numeric(tokens, at, first, order))
            .or_else(|| number_then_month(tokens, at, first)),
        Token::Word(word) => month_then_day(tokens, at, month_of(word)?),
        _ => None,
    }
}

fn is_tail_of_number(tokens: &[Token<'_>], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
    matches!(before(1), Some(Token::Mark('.' | '/' | '-' | ':' | ',')))
        && matches!(before(2), Some(Token::Number(_)))
}

/// `2024年5月3日`, `2024년 5월 3일`
fn ideographic(tokens: &[Token<'_>], at: usize, year: &str) -> Option<(Date, usize)> {
    let at = expect_mark(tokens, at + 1, &['年', '년'])?;
    let (month, at) = number(tokens, skip_gap(tokens, at))?;
    let at = expect_mark(tokens, at, &['月', '월'])?;
    let (day, at) = number(tokens, skip_gap(tokens, at))?;
    let at = expect_mark(tokens, at, &['日', '号', '號', '일'])?;
    Some((civil(year, month.parse().ok()?, day)?, at))
}

/// `20240503`, alone or followed by `T`
fn compact(tokens: &[Token<'_>], at: usize, digits: &str) -> Option<(Date, usize)> {
    let is_alone = matches!(
        tokens.get(at + 1),
        None | Some(Token::Gap | Token::Word("T"))
    );
    if digits.len() != 8 || !is_alone {
        return None;
    }
    Some((
        civil(&digits[..4], digits[4..6].parse().ok()?, &digits[6..])?,
        at + 1,
    ))
}

/// `2024-05-03`, `2024/5/3`, `3.5.2024`, `5/3/2024`, `2024. 5. 3.`
fn numeric(tokens: &[Token<'_>], at: usize, first: &str, order: DayOrder) -> Option<(Date, usize)> {
    let Some(Token::Mark(mark @ ('-' | '/' | '.' | '‑' | '–'))) = tokens.get(at + 1) else {
        return None;
    };
    let (second, next) = number(tokens, skip_gap(tokens, at + 2))?;
    let next = expect_mark(tokens, next, &[*mark])?;
    let (third, next) = number(tokens, skip_gap(tokens, next))?;
    // Four numbers are a version or an address.
    let goes_on = matches!(tokens.get(next), Some(Token::Mark(more)) if more == mark)
        && matches!(tokens.get(next + 1), Some(Token::Number(_)));
    if goes_on {
        return None;
    }
    let (a, b): (u8, u8) = match first.len() {
        4 => return Some((civil(first, second.parse().ok()?, third)?, next)),
        _ => (first.parse().ok()?, second.parse().ok()?),
    };
    let is_month_first = match mark {
        '.' => false,
        _ if a > 12 || b > 12 || a == b => b > 12,
        _ => match order {
            DayOrder::MonthFirst => true,
            DayOrder::DayFirst => false,
            DayOrder::Unknown => return None,
        },
    };
    let (month, day) = if is_month_first {
        (a, second)
    } else {
        (b, first)
    };
    let year = full_year(third, *mark)?;
    Some((civil(&year, month, day)?, next))
}

/// Two digits are a year only where dates are commonly written so.
fn full_year(year: &str, mark: char) -> Option<String> {
    match (year.len(), mark) {
        (4, _) => Some(year.to_owned()),
        (2, '/' | '.') => Some(format!("{}{year}", if year < "70" { "20" } else { "19" })),
        _ => None,
    }
}

/// `3 May 2024`, `3. Mai 2024`, `3rd of May, 2024`, `3 de mayo de 2024`, `03-May-2024`,
/// `2024 May 3`, `2024. május 3.`
fn number_then_month(tokens: &[Token<'_>], at: usize, first: &str) -> Option<(Date, usize)> {
    let next = skip_filler(
        tokens,
        at + 1,
        &[
            "st", "nd", "rd", "th", "er", "º", "ª", "of", "de", "di", "d",
        ],
    );
    let Some(Token::Word(word)) = tokens.get(next) else {
        return None;
    };
    let month = month_of(word)?;
    let next = skip_filler(tokens, next + 1, &["de", "del", "of", "di", "г"]);
    let (last, next) = number(tokens, next)?;
    match (first.len(), last.len()) {
        (1 | 2, 4) => Some((civil(last, month, first)?, next)),
        (4, 1 | 2) => Some((civil(first, month, last)?, next)),
        _ => None,
    }
}

/// `May 3, 2024`, `Sept. 3rd 2024`
fn month_then_day(tokens: &[Token<'_>], at: usize, month: u8) -> Option<(Date, usize)> {
    let (day, next) = number(tokens, skip_filler(tokens, at + 1, &["the"]))?;
    let next = skip_filler(tokens, next, &["st", "nd", "rd", "th", "de", "of"]);
    let (year, next) = number(tokens, next)?;
    if day.len() > 2 || year.len() != 4 {
        return None;
    }
    Some((civil(year, month, day)?, next))
}

fn civil(year: &str, month: u8, day: &str) -> Option<Date> {
    if year.len() != 4 || day.len() > 2 {
        return None;
    }
    let year: i32 = year.parse().ok()?;
    let date = Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        day.parse().ok()?,
    );
    date.ok().filter(|_| YEARS.contains(&year))
}

fn number<'a>(tokens: &[Token<'a>], at: usize) -> Option<(&'a str, usize)> {
    match tokens.get(at) {
        Some(Token::Number(digits)) => Some((digits, at + 1)),
        _ => None,
    }
}

fn expect_mark(tokens: &[Token<'_>], at: usize, marks: &[char]) -> Option<usize> {
    match tokens.get(at) {
        Some(Token::Mark(mark)) if marks.contains(mark) => Some(at + 1),
        _ => None,
    }
}

fn skip_gap(tokens: &[Token<'_>], at: usize) -> usize {
    at + usize::from(matches!(tokens.get(at), Some(Token::Gap)))
}

/// Skips spaces, dots, commas, hyphens and the given words, four at most.
fn skip_filler(tokens: &[Token<'_>], at: usize, words: &[&str]) -> usize {
    let is_filler = |token: &&Token<'_>| match token {
        Token::Gap | Token::Mark('.' | ',' | '-' | '/' | '\'' | '’') => true,
        Token::Word(word) => words.iter().any(|known| word.eq_ignore_ascii_case(known)),
        _ => false,
    };
    let rest = tokens.get(at..).unwrap_or_default();
    at + rest.iter().take(5).take_while(is_filler).count()
}

/// Adds the time when it is written with its offset; a time of day at an unknown place is no instant.
fn with_time(date: Date, tokens: &[Token<'_>]) -> String {
    match time_of(tokens) {
        Some(time) => format!("{date}{time}"),
        None => date.to_string(),
    }
}

fn time_of(tokens: &[Token<'_>]) -> Option<String> {
    let at = tokens.iter().take(4).take_while(|token| {
        matches!(
            token,
            Token::Gap | Token::Word("T" | "t" | "at") | Token::Mark(',')
        )
    });
    let (hour, at) = number(tokens, at.count())?;
    let at = expect_mark(tokens, at, &[':'])?;
    let (minute, mut at) = number(tokens, at)?;
    let mut second = String::from("00");
    if let Some(next) = expect_mark(tokens, at, &[':']) {
        let (digits, next) = number(tokens, next)?;
        second = digits.to_owned();
        at = next;
        if let Some((fraction, next)) =
            expect_mark(tokens, at, &['.', ',']).and_then(|at| number(tokens, at))
        {
            second = format!("{second}.{}", &fraction[..fraction.len().min(9)]);
            at = next;
        }
    }
    at = skip_gap(tokens, at);
    let mut hour: u8 = hour.parse().ok()?;
    if let Some(Token::Word(word)) = tokens.get(at) {
        let half = match *word {
            "AM" | "am" => Some(0),
            "PM" | "pm" => Some(12),
            _ => None,
        };
        if let Some(half) = half {
            hour = hour % 12 + half;
            at = skip_gap(tokens, at + 1);
        }
    }
    let offset = offset_of(tokens.get(at..)?)?;
    let is_time = hour < 24 && minute.len() == 2 && minute < "60" && second.as_str() < "60";
    (is_time && second.len() >= 2).then(|| format!("T{hour:02}:{minute}:{second}{offset}"))
}

/// `Z`, `+02:00`, `-0500`, `+02`, and the names that RFC 2822 fixes.
fn offset_of(tokens: &[Token<'_>]) -> Option<String> {
    let (sign, digits) = match tokens {
        [Token::Word("Z" | "z" | "GMT" | "UTC" | "UT"), ..] => return Some("Z".to_owned()),
        [Token::Word("EST" | "CDT"), ..] => return Some("-05:00".to_owned()),
        [Token::Word("EDT"), ..] => return Some("-04:00".to_owned()),
        [Token::Word("CST" | "MDT"), ..] => return Some("-06:00".to_owned()),
        [Token::Word("MST" | "PDT"), ..] => return Some("-07:00".to_owned()),
        [Token::Word("PST"), ..] => return Some("-08:00".to_owned()),
        [
            Token::Mark(sign @ ('+' | '-' | '−')),
            Token::Number(digits),
            rest @ ..,
        ] => {
            let minutes = match rest {
                [Token::Mark(':'), Token::Number(minutes), ..] => *minutes,
                _ => "",
            };
            (*sign, format!("{digits}{minutes}"))
        }
        _ => return None,
    };
    let (hours, minutes) = match digits.len() {
        2 => (digits.as_str(), "00"),
        4 => digits.split_at(2),
        _ => return None,
    };
    let sign = if sign == '+' { '+' } else { '-' };
    (hours <= "14" && minutes < "60").then(|| format!("{sign}{hours}:{minutes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(text: &str) -> Option<String> {
        read_date(text, DayOrder::MonthFirst)
    }

    #[test]
    fn dates_keep_the_precision_that_is_written() {
        for (text, wanted) in [
            ("2019-05-03", "2019-05-03"),
            ("2019-05-03T10:20:30Z", "2019-05-03T10:20:30Z"),
            (
                "2019-05-03T10:20:30.125+02:00",
                "2019-05-03T10:20:30.125+02:00",
            ),
            ("2019-05-03 10:20:30 -0500", "2019-05-03T10:20:30-05:00"),
            ("2019-05-03T10:20:30", "2019-05-03"),
            ("20190503T102030Z", "2019-05-03"),
            ("Fri, 03 May 2019 10:20:30 GMT", "2019-05-03T10:20:30Z"),
            ("May 3, 2019 at 1:05 PM EST", "2019-05-03T13:05:00-05:00"),
            ("1556878830", "2019-05-03T10:20:30Z"),
            ("1556878830000", "2019-05-03T10:20:30Z"),
        ] {
            assert_eq!(us(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn months_are_read_in_many_languages() {
        for text in [
            "May 3, 2019",
            "Published May 3rd, 2019 by Ann",
            "3 May 2019",
            "3rd of May 2019",
            "03-May-2019",
            "3. Mai 2019",
            "le 3 mai 2019",
            "3 de mayo de 2019",
            "3 maggio 2019",
            "3 de maio de 2019",
            "3 mei 2019",
            "3 maj 2019",
            "3. maj 2019",
            "3. toukokuuta 2019",
            "3 maja 2019",
            "3. května 2019",
            "2019. május 3.",
            "3 mai 2019",
            "3 Mayıs 2019",
            "3 мая 2019 г.",
            "3 травня 2019",
            "3 Μαΐου 2019",
            "2019年5月3日",
            "2019年 05月 03日 10:20",
            "2019년 5월 3일",
            "2019. 5. 3.",
            "2019/5/3",
            "3.5.2019",
        ] {
            assert_eq!(us(text).as_deref(), Some("2019-05-03"), "{text}");
        }
    }

    #[test]
    fn an_ambiguous_date_follows_the_language_or_is_none() {
        assert_eq!(
            find_date("03/05/2019", DayOrder::DayFirst).as_deref(),
            Some("2019-05-03")
        );
        assert_eq!(
            find_date("05/03/2019", DayOrder::MonthFirst).as_deref(),
            Some("2019-05-03")
        );
        assert_eq!(find_date("05/03/2019", DayOrder::Unknown), None);
        assert_eq!(
            find_date("25/03/19", DayOrder::Unknown).as_deref(),
            Some("2019-03-25")
        );
        assert_eq!(DayOrder::of_language(Some("en-GB")), DayOrder::DayFirst);
        assert_eq!(DayOrder::of_language(Some("en-US")), DayOrder::MonthFirst);
    }

    #[test]
    fn nonsense_is_no_date() {
        for text in [
            "",
            "yesterday",
            "2 days ago",
            "10.12.20.24",
            "2019-13-03",
            "31 February 2019",
            "v1.2.3",
            "may 3",
            "12/2019",
            "555-12-2024",
            "0000-00-00",
            "99999999",
            "+49 30 2019",
            "1.000.000",
            "3/2/1",
            "May 2019",
        ] {
            assert_eq!(us(text), None, "{text}");
        }
    }
}
