//! The HTML elements as a byte, so that walkers `match doc.tag(id)` instead of comparing names.
//! Foreign elements are `Other` (their name tells), but for the roots `Svg` and `Math` and for
//! script and style, which are never text whatever their namespace.

use html5ever::{LocalName, local_name};

use super::Space;

macro_rules! tags {
    ($($variant:ident = $name:tt,)*) => {
        /// Kind of a node: `None` for text and the document, `Other` for elements without an own
        /// variant (custom elements, most of SVG and MathML).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub(crate) enum Tag { None, Other, Math, Svg, $($variant,)* }

        fn of_html(name: &LocalName) -> Tag {
            match *name {
                $(local_name!($name) => Tag::$variant,)*
                _ => Tag::Other,
            }
        }
    };
}

tags! {
    A = "a",
    Abbr = "abbr",
    Acronym = "acronym",
    Address = "address",
    Applet = "applet",
    Area = "area",
    Article = "article",
    Aside = "aside",
    Audio = "audio",
    B = "b",
    Base = "base",
    Basefont = "basefont",
    Bdi = "bdi",
    Bdo = "bdo",
    Bgsound = "bgsound",
    Big = "big",
    Blink = "blink",
    Blockquote = "blockquote",
    Body = "body",
    Br = "br",
    Button = "button",
    Canvas = "canvas",
    Caption = "caption",
    Center = "center",
    Cite = "cite",
    Code = "code",
    Col = "col",
    Colgroup = "colgroup",
    Data = "data",
    Datalist = "datalist",
    Dd = "dd",
    Del = "del",
    Details = "details",
    Dfn = "dfn",
    Dialog = "dialog",
    Dir = "dir",
    Div = "div",
    Dl = "dl",
    Dt = "dt",
    Em = "em",
    Embed = "embed",
    Fieldset = "fieldset",
    Figcaption = "figcaption",
    Figure = "figure",
    Font = "font",
    Footer = "footer",
    Form = "form",
    Frame = "frame",
    Frameset = "frameset",
    H1 = "h1",
    H2 = "h2",
    H3 = "h3",
    H4 = "h4",
    H5 = "h5",
    H6 = "h6",
    Head = "head",
    Header = "header",
    Hgroup = "hgroup",
    Hr = "hr",
    Html = "html",
    I = "i",
    Iframe = "iframe",
    Img = "img",
    Input = "input",
    Ins = "ins",
    Isindex = "isindex",
    Kbd = "kbd",
    Keygen = "keygen",
    Label = "label",
    Legend = "legend",
    Li = "li",
    Link = "link",
    Listing = "listing",
    Main = "main",
    Map = "map",
    Mark = "mark",
    Marquee = "marquee",
    Menu = "menu",
    Menuitem = "menuitem",
    Meta = "meta",
    Meter = "meter",
    Nav = "nav",
    Nobr = "nobr",
    Noembed = "noembed",
    Noframes = "noframes",
    Noscript = "noscript",
    Object = "object",
    Ol = "ol",
    Optgroup = "optgroup",
    Option = "option",
    Output = "output",
    P = "p",
    Param = "param",
    Picture = "picture",
    Plaintext = "plaintext",
    Pre = "pre",
    Progress = "progress",
    Q = "q",
    Rb = "rb",
    Rp = "rp",
    Rt = "rt",
    Rtc = "rtc",
    Ruby = "ruby",
    S = "s",
    Samp = "samp",
    Script = "script",
    Search = "search",
    Section = "section",
    Select = "select",
    Slot = "slot",
    Small = "small",
    Source = "source",
    Span = "span",
    Strike = "strike",
    Strong = "strong",
    Style = "style",
    Sub = "sub",
    Summary = "summary",
    Sup = "sup",
    Table = "table",
    Tbody = "tbody",
    Td = "td",
    Template = "template",
    Textarea = "textarea",
    Tfoot = "tfoot",
    Th = "th",
    Thead = "thead",
    Time = "time",
    Title = "title",
    Tr = "tr",
    Track = "track",
    Tt = "tt",
    U = "u",
    Ul = "ul",
    Var = "var",
    Video = "video",
    Wbr = "wbr",
    Xmp = "xmp",
}

impl Tag {
    /// The tag of an element.
    pub(super) fn of(space: Space, name: &LocalName) -> Self {
        match space {
            Space::Html => of_html(name),
            Space::Svg | Space::MathMl | Space::Other => match *name {
                local_name!("svg") => Self::Svg,
                local_name!("math") => Self::Math,
                local_name!("script") => Self::Script,
                local_name!("style") => Self::Style,
                _ => Self::Other,
            },
        }
    }
}
