// without the commonest control characters and those that XML takes, each of which would cost a call
const SPECIAL = /[&<>\p{Cs}\ufffe\uffff[\p{Cc}--[\t\n\u007f-\u009f]]]/gv

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  // a bare one would be read as a line feed
  '\r': '&#13;',
}

/** Escapes a text for XML 1.0. Characters that no XML document can hold become U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPED[character] ?? '\ufffd')
}
