import { parse, html as renderDiff } from 'diff2html'
import type { ColorSchemeType } from 'diff2html/lib/types.js'
import { raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** A patch side by side, with its texts escaped; null for a text that is none. */
export function renderPatch(text: string): HtmlEscapedString | null {
  const files = parse(text)
  return files.length === 0
    ? null
    : raw(
        renderDiff(files, {
          outputFormat: 'side-by-side',
          drawFileList: files.length > 1,
          matching: 'lines',
          colorScheme: 'auto' as ColorSchemeType,
          // long lines scroll, by keys too
        }).replaceAll('class="d2h-file-side-diff"', 'class="d2h-file-side-diff" tabindex="0"'),
      )
}
