import { type Answer, type Attack, createUpload, send } from './attack.ts'

const GUESSERS = 16
const GUESSES = 5

/** The longest text that is rendered without an account. */
const ANONYMOUS_CHARACTERS = 10_000

/** Uploads, guesses of passwords and texts to render. */
export const requestAttacks: readonly Attack[] = [
  upload('upload 20 MB without credentials', 20, { isKnown: false, status: 401 }),
  upload('upload 10 MB with a key', 10, { isKnown: true, status: 201 }),
  upload('upload 20 MB with a key (refused)', 20, { isKnown: true, status: 400 }),
  upload('upload 40 MB with a key (refused)', 40, { isKnown: true, status: 413 }),
  {
    name: 'guess passwords, 16 at once',
    requests: GUESSERS * GUESSES,
    most: { cpu: 250, p99: 200, megabytes: 100 },
    statuses: [401, 429, 503],
    prepare: async ({ origin }) => guessPasswords(origin),
  },
  render('render many images', '!['),
  render('render many links', '[a]('),
  render('render many quotes', '>'),
]

function upload(
  name: string,
  megabytes: number,
  { isKnown, status }: { isKnown: boolean; status: number },
): Attack {
  return {
    name,
    requests: 1,
    most: { cpu: 500, p99: 500, megabytes: 100 },
    statuses: [status],
    async prepare(target) {
      const body = createUpload(megabytes)
      const sender = isKnown ? target : { ...target, apiKey: '' }
      const [bug] = target.bugs
      return async () => [await send(sender, 'POST', `/bug/${bug}/attachment`, body)]
    },
  }
}

function render(name: string, piece: string): Attack {
  const text = piece.repeat(Math.floor(ANONYMOUS_CHARACTERS / piece.length))
  return {
    name,
    requests: 1,
    most: { cpu: 200, p99: 200, megabytes: 50 },
    statuses: [200],
    prepare: async ({ origin }) => {
      const anyone = { origin, apiKey: '' }
      return async () => [await send(anyone, 'POST', '/bug/comment/render', { text })]
    },
  }
}

/** Different logins, because one that is locked is no longer verified. */
function guessPasswords(origin: string): () => Promise<Answer[]> {
  const guess = async (guesser: number) => {
    const answers: Answer[] = []
    for (let n = 0; n < GUESSES; n += 1) {
      const query = new URLSearchParams({ login: `guess${guesser}.${n}@a.test`, password: 'wrong' })
      const answer = await fetch(`${origin}/rest/login?${query}`)
      answers.push({ status: answer.status, text: await answer.text() })
    }
    return answers
  }
  return async () => {
    const guessers = Array.from({ length: GUESSERS }, (_, n) => guess(n))
    return (await Promise.all(guessers)).flat()
  }
}
