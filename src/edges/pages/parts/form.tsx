import type { Child, JSX, PropsWithChildren } from 'hono/jsx'
import { fieldText, type PageRequest } from '../page.ts'
import { FORM_ID } from '../sent-form.ts'

type Elements = JSX.IntrinsicElements

type FormProps = PropsWithChildren<{
  request: Pick<PageRequest, 'formToken'>
  /** For what `askOnce` makes. */
  isOnce?: boolean
}> &
  Elements['form']

/** A form with the hidden field without which it is refused. */
export function Form({ request, isOnce = false, children, ...form }: FormProps) {
  return (
    <form method="post" {...form}>
      <input type="hidden" name="form_token" value={request.formToken} />
      {isOnce && <input type="hidden" name={FORM_ID} value={crypto.randomUUID()} />}
      {children}
    </form>
  )
}

type ActionProps = PropsWithChildren<{ act: string }> & Elements['button']

/** A button that says what the form does. */
export function Action({ act, children, ...button }: ActionProps) {
  return (
    <button type="submit" name="do" value={act} {...button}>
      {children}
    </button>
  )
}

type InputProps = { label: Child } & Elements['input']

/** A line to type into, below its label; it keeps what a form `sent`. */
export function LineInput({
  label,
  sent,
  ...input
}: InputProps & { name: string; sent?: PageRequest }) {
  return (
    <label>
      {label}
      <input {...(sent && { value: fieldText(sent, input.name) })} {...input} />
    </label>
  )
}

/** A box to tick, ahead of its label. */
export function Tick({ label, ...input }: InputProps) {
  return (
    <label>
      <input type="checkbox" {...input} /> {label}
    </label>
  )
}

/** A line for a password that is new. */
export function NewPassword({ request, name }: { request: PageRequest; name: string }) {
  return (
    <LineInput
      label="New password"
      type="password"
      name={name}
      required
      minlength={request.ctx.settings.PASSWORD_MIN_LENGTH}
      autocomplete="new-password"
    />
  )
}

type OptionsProps = {
  values: readonly (string | undefined)[]
  chosen?: string | readonly string[] | undefined
  /** What is read in the place of an empty value. */
  blank?: string
}

/** The options of a select, each once. */
export function OptionList({ values, chosen, blank }: OptionsProps) {
  const selected = [chosen].flat()
  return (
    <>
      {[...new Set(values)].map((value) => (
        <option value={value} selected={selected.includes(value)}>
          {value === '' ? blank : value}
        </option>
      ))}
    </>
  )
}

/** A comment to type, which keeps what a form `sent`. */
export function CommentField({ sent, rows }: { sent: PageRequest; rows: number }) {
  return (
    <label>
      Comment
      <textarea name="comment" rows={rows}>
        {fieldText(sent, 'comment')}
      </textarea>
    </label>
  )
}
