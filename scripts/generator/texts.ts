import { createRandom, itemAt, type Random } from './random.ts'
import { drawPhrase, listCommonWords } from './words.ts'

/** Texts as long and as varied as those of large trackers. */

const VOCABULARY = 60_000
/** Bytes of a comment: 499 on average, and two of five of all bytes are in comments beyond 2 KB. */
const COMMENT = { median: 162, width: 1.5, most: 60_000 }

const STARTS =
  'b br c ch cl cr d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl st t th tr v w'.split(' ')
const VOWELS = 'a e i o u ai ea ee io ou'.split(' ')
const ENDS = ['', 'b', 'ck', 'd', 'l', 'm', 'n', 'nd', 'nt', 'r', 'rt', 's', 'st', 't', 'x']
const SUFFIXES = ['', '', 'ed', 'er', 'ing', 'ion', 'able', 'ment', 'ness', 'ly']

/** Words in the order of their frequency; Zipf's law is that of ranks. */
const words = createVocabulary()
const ranks = Math.log(words.length)

function createVocabulary(): string[] {
  const draw = createRandom(VOCABULARY)
  const all = new Set(listCommonWords())
  while (all.size < VOCABULARY) {
    const syllables = Array.from(
      { length: 1 + draw.skewed(3) },
      () => draw.pick(STARTS) + draw.pick(VOWELS),
    )
    all.add(syllables.join('') + draw.pick(ENDS) + draw.pick(SUFFIXES))
  }
  return [...all]
}

const drawWord = (draw: Random) => words[Math.floor(Math.exp(draw.uniform() * ranks)) - 1] ?? 'the'

/** One of the words that tell one bug from others. */
const drawRareWord = (draw: Random) => itemAt(words, 100 + draw.skewed(VOCABULARY - 100))

export const drawUrl = (draw: Random) =>
  `https://${drawRareWord(draw)}.example.test/${drawWord(draw)}/${draw.below(100_000)}`

/** What stands between the words of reports: numbers, addresses, paths, names in code, other bugs. */
function drawToken(draw: Random): string {
  const kind = draw.below(9)
  if (kind === 0) {
    return drawUrl(draw)
  }
  if (kind === 1) {
    return `/src/${drawWord(draw)}/${drawRareWord(draw)}.cpp:${draw.below(3000)}`
  }
  if (kind === 2) {
    return `0x${draw.below(2 ** 31).toString(16)}`
  }
  if (kind === 3) {
    const word = drawRareWord(draw)
    return `${drawWord(draw)}${word.charAt(0).toUpperCase()}${word.slice(1)}()`
  }
  return kind === 4
    ? `${draw.below(99)}.${draw.below(20)}.${draw.below(9)}`
    : String(draw.below(10_000))
}

export function drawComment(draw: Random): string {
  const length = Math.min(COMMENT.most, draw.logNormal(COMMENT.median, COMMENT.width))
  let text = ''
  let left = 0
  while (text.length < length) {
    if (left === 0) {
      const word = drawWord(draw)
      text += `${word.charAt(0).toUpperCase()}${word.slice(1)}`
      left = 4 + draw.below(14)
      continue
    }
    text += ` ${draw.chance(0.04) ? drawToken(draw) : drawWord(draw)}`
    left -= 1
    if (left === 0) {
      text += draw.chance(0.25) ? '.\n\n' : '. '
    }
  }
  return text.trimEnd()
}

export function drawTitle(draw: Random): string {
  const own = Array.from({ length: 1 + draw.below(4) }, () => drawRareWord(draw))
  return [
    ...(draw.chance(0.7) ? [drawPhrase(draw)] : [drawWord(draw), drawWord(draw)]),
    ...own,
  ].join(' ')
}

/** The same problem in the words of somebody else, who uses about half of them. */
export function retell(draw: Random, title: string): string {
  const kept = title.split(' ').filter(() => draw.chance(0.55))
  const own = Array.from({ length: 1 + draw.below(3) }, () =>
    draw.chance(0.5) ? drawWord(draw) : drawRareWord(draw),
  )
  const said = kept.length > 0 ? kept : title.split(' ').slice(-1)
  return (draw.chance(0.5) ? [...said, ...own] : [...own, ...said]).join(' ')
}
