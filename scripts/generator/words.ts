import type { Random } from './random.ts'

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

/** What goes wrong, often also where and when. */
export const drawPhrase = (draw: Random) =>
  [
    draw.pick(PROBLEMS),
    ...(draw.chance(0.6) ? [draw.pick(PLACES)] : []),
    ...(draw.chance(0.3) ? [draw.pick(CONDITIONS)] : []),
  ].join(' ')

/** The words of bug reports, each once, the most frequent first. */
export const listCommonWords = () => [...new Set(COMMON_WORDS)]

/** One word of a bug report; common words are the most frequent. */
export const drawWord = (draw: Random) => draw.pick(COMMON_WORDS)

export function drawSentences(draw: Random, sentences: number): string {
  return Array.from({ length: sentences }, () => drawSentence(draw)).join(' ')
}

function drawSentence(draw: Random): string {
  const text = Array.from({ length: 4 + draw.below(9) }, () => drawWord(draw)).join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
