import { parse, html as renderDiff } from 'diff2html'
import type { ColorSchemeType, DiffBlock, DiffFile } from 'diff2html/lib/types.js'
import { raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { Turns } from '../../../platform/load/turns.ts'

/**
 * Lines that are shown side by side, where a file counts as ten: each makes 300 bytes, and the parser may look from each
 * to the end.
 */
const [MAX_LINES, LINES_OF_FILE] = [4000, 10]
/** Pairs of characters that are compared to find which line became which, and which words of a line are new. */
const [MAX_PAIRS_OF_LINES, MAX_PAIRS_OF_WORDS] = [4_000_000, 2_000_000]
/** Characters of lines whose words are compared. */
const MAX_HIGHLIGHTED = 400

const turns = new Turns<string>(1)

/**
 * A patch side by side, with its texts escaped, in rounds of the owners of such texts; null for a text that is none, or
 * so long that it would keep others waiting.
 */
export async function renderPatch(text: string, owner: string): Promise<HtmlEscapedString | null> {
  const lines = text.split(/\r\n?|\n/).length
  return lines > MAX_LINES ? null : turns.run(owner, async () => renderLines(text, lines))
}

function renderLines(text: string, lines: number): HtmlEscapedString | null {
  const files = parse(text)
  return files.length === 0 || lines + files.length * LINES_OF_FILE > MAX_LINES
    ? null
    : raw(
        renderDiff(files, {
          outputFormat: 'side-by-side',
          drawFileList: files.length > 1,
          matching: sumPairs(files) > MAX_PAIRS_OF_LINES ? 'none' : 'lines',
          maxLineLengthHighlight: sumSquares(files) > MAX_PAIRS_OF_WORDS ? 0 : MAX_HIGHLIGHTED,
          colorScheme: 'auto' as ColorSchemeType,
          // long lines scroll, by keys too
        }).replaceAll('class="d2h-file-side-diff"', 'class="d2h-file-side-diff" tabindex="0"'),
      )
}

/** Each removed line of a block may be compared with each added one. */
function sumPairs(files: readonly DiffFile[]): number {
  return sumOf(blocksOf(files), (block) => {
    const lengthOf = (kind: string) =>
      sumOf(block.lines, ({ type, content }) => (type === kind ? content.length : 0))
    return lengthOf('insert') * lengthOf('delete')
  })
}

/** Each word of a line may be compared with all of the line that was there before. */
function sumSquares(files: readonly DiffFile[]): number {
  const changed = blocksOf(files)
    .flatMap(({ lines }) => lines)
    .filter(({ type, content }) => type !== 'context' && content.length <= MAX_HIGHLIGHTED)
  return sumOf(changed, ({ content }) => content.length ** 2)
}

function blocksOf(files: readonly DiffFile[]): DiffBlock[] {
  return files.flatMap(({ blocks }) => blocks)
}

function sumOf<Item>(items: readonly Item[], size: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + size(item), 0)
}
