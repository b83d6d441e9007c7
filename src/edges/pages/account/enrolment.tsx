import { encode } from 'uqr'
import type { PageRequest } from '../page.ts'
import { Action, Form } from '../parts/form.tsx'
import type { Enrolment } from './handed-on.ts'

type Props = {
  request: PageRequest
  enrolment: Enrolment
  /** Where the first code is sent, with what is handed on. */
  action: string
  handedOn: string
  target?: string
}

/** Shows once what the app and its owner have to keep, and asks for the first code. */
export function NewSecondFactor({ request, enrolment, action, handedOn, target }: Props) {
  const { secret, uri, recovery_codes } = enrolment
  return (
    <>
      <h2>1. Tell your app</h2>
      <p>Scan this with an app for one-time passwords, or type the secret into it.</p>
      <p>
        <QrCode text={uri} />
      </p>
      <div class="fields">
        <p>
          <input readonly value={secret} aria-label="The secret" data-copy />
        </p>
      </div>
      <h2>2. Keep the recovery codes</h2>
      <p>
        Each signs you in once, should you lose the device. They are shown this once: print them or
        write them down, and keep them elsewhere.
      </p>
      <pre>
        <code>{recovery_codes.join('\n')}</code>
      </pre>
      <h2>3. Type the code that the app shows</h2>
      <Form request={request} action={action}>
        <input type="hidden" name="handed_on" value={handedOn} />
        {target !== undefined && <input type="hidden" name="return" value={target} />}
        <div class="fields">
          <CodeField />
        </div>
        <Action act="confirm">Switch it on</Action>
      </Form>
    </>
  )
}

/** The field for a code of an app. */
export function CodeField({ isFocused = false }: { isFocused?: boolean }) {
  return (
    <label>
      Code
      <input
        name="totp"
        required
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck={false}
        autofocus={isFocused}
      />
    </label>
  )
}

/** Modules of the white border that readers of QR codes need. */
const BORDER = 4
const PIXELS = 232

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: BORDER })
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  )
  return (
    <svg
      role="img"
      aria-label="The QR code of the secret"
      width={PIXELS}
      height={PIXELS}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}
