//! HTML on standard input, Markdown on standard output; the one argument is the page's URL.

use std::io::{Read, Write};

use trawls_content::{Interrupt, RawDocument, ReadOptions, read};
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "http://localhost/".to_owned());
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let document = RawDocument {
        body: body.into(),
        content_type: Some("text/html".to_owned()),
        url: Url::parse(&url)?,
    };
    let options = ReadOptions {
        only_main_content: true,
        remove_base64_images: true,
        ..ReadOptions::default()
    };
    let page = read(&document, &options, &Interrupt::default())?;
    std::io::stdout().write_all(page.markdown.as_bytes())?;
    Ok(())
}
