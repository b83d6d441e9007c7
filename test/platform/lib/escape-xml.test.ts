import { expect, test } from 'vitest'
import { escapeXml } from '../../../src/platform/lib/escape-xml.ts'

test.each([
  ['a < b && c > "d"', 'a &lt; b &amp;&amp; c &gt; "d"'],
  [']]>', ']]&gt;'],
  ['one\r\n\ttwo', 'one&#13;\n\ttwo'],
  ['\0\x1b[0m\ufffe', '\ufffd\ufffd[0m\ufffd'],
  ['\ud83d snow ☃ \ud83d\ude00 \x85', '\ufffd snow ☃ \ud83d\ude00 \x85'],
])('escapes %j for XML', (text, escaped) => {
  expect(escapeXml(text)).toBe(escaped)
})
