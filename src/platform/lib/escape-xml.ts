const SPECIAL = /[&<>\p{Cc}\p{Cs}\ufffe\uffff]/gu

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\t': '\t',
  '\n': '\n',
  // a bare one would be read as a line feed
  '\r': '&#13;',
}

/** Escapes a text for XML 1.0. Characters that no XML document can hold become U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPED[character] ?? legalOf(character))
}

/** XML takes the control characters from U+007F on. */
function legalOf(character: string): string {
  return character >= '\u007f' && character <= '\u009f' ? character : '\ufffd'
}
