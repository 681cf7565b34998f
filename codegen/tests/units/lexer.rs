//! Characters to tokens.

use pleach_codegen::notation::lexer::{TokenKind, lex};

fn kinds(source: &str) -> Vec<&str> {
    lex(source).iter().map(|token| &source[token.span.start..token.span.end]).collect()
}

#[test]
fn splits_what_stands_together() {
    assert_eq!(
        kinds("C(i,j)<!M>+=A(i)-1.5e-3*x // rest\n;"),
        ["C", "(", "i", ",", "j", ")", "<", "!", "M", ">", "+=", "A", "(", "i", ")", "-", "1.5e-3", "*", "x", ";", ""]
    );
    assert_eq!(kinds("1.x 2e 3..4"), ["1", ".", "x", "2", "e", "3", ".", ".", "4", ""]);
}

#[test]
fn keeps_what_it_does_not_know() {
    assert_eq!(kinds("a ä\u{2003}\u{1f600}\"open"), ["a", "ä", "\u{1f600}", "\"open", ""]);
    assert_eq!(lex("ä")[0].kind, TokenKind::Unknown);
}
