import { parse, html as renderDiff } from 'diff2html'
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
          colorScheme: 'auto' as never,
        }),
      )
}
