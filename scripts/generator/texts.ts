import { createRandom, itemAt, type Random } from './random.ts'

const splitWords = (text: string) => text.trim().split(/\s+/)
const splitPhrases = (text: string) => text.trim().split(/\s*[|\n]\s*/)

const FIRST_NAMES = splitWords(`
  Ada Bruno Chiara Dmitri Elif Farid Grace Hana Iñigo Jana Kofi Lucía Mateo Nadia Ola Priya Quentin Rosa
  Søren Tomoko Ulla Viktor Wanda Xavier Yusuf Zoë
`)
const LAST_NAMES = splitWords(`
  Abel Bianchi Castro Dvořák Eriksen Fischer García Hassan Ito Jensen Kowalski Lopez Müller Nguyen Okafor
  Petrov Quinn Rossi Silva Tanaka Ueda Varga Weber Xu Yılmaz Zimmermann
`)
const PROBLEMS = splitPhrases(`
  Crash | Hang | Wrong colours | Text is cut off | Blank window | Memory grows without end
  Keyboard focus is lost | Wrong totals | Duplicate entries | Error message without a reason
  Spinner never stops | Settings are forgotten | Garbled accents (é, ü, ß) | Slow scrolling
  Unexpected logout | Missing tooltip | Assertion failure | Broken link
`)
const PLACES = splitPhrases(`
  in the calendar | in the address book | in the search bar | in the print dialog | on the start page
  in the download list | in the account wizard | in the password manager | in the image viewer
  in the report editor | in the side panel | in the import assistant | in the status bar
  in the plug-in manager | in the message list | in the tab strip
`)
const CONDITIONS = splitPhrases(`
  after an upgrade | with a large file | on a slow connection | when offline | with two monitors
  in a private window | after waking from sleep | with right-to-left text | when the disk is full
  with an empty profile | on the first start | while a download is running
  with assistive tools switched on | when pasting from another program
  with more than one account | in dark mode
`)
const COMMON_WORDS = splitWords(`
  the the the the to to to and and a a of of is is in in that it with for on not this be was when as can
  after build version still window I you we they crash error file page button menu test patch fix change
  update problem server client profile setting value list item click open close save load start stop wait
  slow fast wrong right empty full first last next same other old new here there again only also maybe
  seems works fails happens reproduce attached log trace stack memory thread timeout cache index query
  table column row record request response header cookie session token key password account user group
  folder message mail address calendar event reminder print font colour icon theme image video sound
  keyboard mouse screen scroll zoom drag drop copy paste undo redo search filter sort import export
  upgrade install package driver plug-in script macro template report chart total sum average minimum
  naïve café Größe façade
`)

export const drawRealName = (draw: Random) => `${draw.pick(FIRST_NAMES)} ${draw.pick(LAST_NAMES)}`

/** A one-line summary, as reporters write them. */
export const drawSummary = (draw: Random) =>
  `${draw.pick(PROBLEMS)} ${draw.pick(PLACES)} ${draw.pick(CONDITIONS)}`

/** One word of a bug report; common words are the most frequent. */
export const drawWord = (draw: Random) => draw.pick(COMMON_WORDS)

export function drawSentences(draw: Random, sentences: number): string {
  const drawSentence = () => {
    const text = Array.from({ length: 4 + draw.below(9) }, () => drawWord(draw)).join(' ')
    return `${capitalize(text)}.`
  }
  return Array.from({ length: sentences }, drawSentence).join(' ')
}

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

// what follows is as long and as varied as the texts of large trackers

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
  const all = new Set(COMMON_WORDS)
  while (all.size < VOCABULARY) {
    const syllables = Array.from(
      { length: 1 + draw.skewed(3) },
      () => draw.pick(STARTS) + draw.pick(VOWELS),
    )
    all.add(syllables.join('') + draw.pick(ENDS) + draw.pick(SUFFIXES))
  }
  return [...all]
}

const drawAnyWord = (draw: Random) =>
  words[Math.floor(Math.exp(draw.uniform() * ranks)) - 1] ?? 'the'

/** One of the words that tell one bug from others. */
const drawRareWord = (draw: Random) => itemAt(words, 100 + draw.skewed(VOCABULARY - 100))

export const drawUrl = (draw: Random) =>
  `https://${drawRareWord(draw)}.example.test/${drawAnyWord(draw)}/${draw.below(100_000)}`

/** What stands between the words of reports: addresses, paths, numbers, names in code, versions, other bugs. */
const TOKENS: readonly ((draw: Random) => string)[] = [
  drawUrl,
  (draw) => `/src/${drawAnyWord(draw)}/${drawRareWord(draw)}.cpp:${draw.below(3000)}`,
  (draw) => `0x${draw.below(2 ** 31).toString(16)}`,
  (draw) => {
    const word = drawRareWord(draw)
    return `${drawAnyWord(draw)}${capitalize(word)}()`
  },
  (draw) => `${draw.below(99)}.${draw.below(20)}.${draw.below(9)}`,
  ...Array(4).fill((draw: Random) => String(draw.below(10_000))),
]

export function drawComment(draw: Random): string {
  const length = Math.min(COMMENT.most, draw.logNormal(COMMENT.median, COMMENT.width))
  let text = ''
  let left = 0
  while (text.length < length) {
    if (left === 0) {
      text += capitalize(drawAnyWord(draw))
      left = 4 + draw.below(14)
      continue
    }
    text += ` ${draw.chance(0.04) ? draw.pick(TOKENS)(draw) : drawAnyWord(draw)}`
    left -= 1
    if (left === 0) {
      text += draw.chance(0.25) ? '.\n\n' : '. '
    }
  }
  return text.trimEnd()
}

/** What goes wrong, often also where and when, and words that tell it from others. */
export function drawTitle(draw: Random): string {
  const own = Array.from({ length: 1 + draw.below(4) }, () => drawRareWord(draw))
  const words = draw.chance(0.7)
    ? [
        draw.pick(PROBLEMS),
        ...(draw.chance(0.6) ? [draw.pick(PLACES)] : []),
        ...(draw.chance(0.3) ? [draw.pick(CONDITIONS)] : []),
      ]
    : [drawAnyWord(draw), drawAnyWord(draw)]
  return [...words, ...own].join(' ')
}

/** The same problem in the words of somebody else, who uses about half of them. */
export function retell(draw: Random, title: string): string {
  const kept = title.split(' ').filter(() => draw.chance(0.55))
  const own = Array.from({ length: 1 + draw.below(3) }, () =>
    draw.chance(0.5) ? drawAnyWord(draw) : drawRareWord(draw),
  )
  const said = kept.length > 0 ? kept : title.split(' ').slice(-1)
  return (draw.chance(0.5) ? [...said, ...own] : [...own, ...said]).join(' ')
}
