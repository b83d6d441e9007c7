import type { Context } from 'hono'
import type { HtmlEscapedString } from 'hono/utils/html'
import type * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { type AnyFault, Fault, invalidParameter } from '../../platform/faults/fault.ts'
import { guardVerb } from '../../platform/http/operations/guard-verb.ts'
import { describeForm, isReplay, runOnce } from '../../platform/http/operations/idempotency.ts'
import { parseInput } from '../../platform/http/operations/input.ts'
import type { TypedOperation } from '../../platform/http/operations/operation.ts'
import type { AppEnv } from '../../platform/http/request/app-env.ts'
import { PagedAnswer, type PageInfo } from '../../platform/http/response/paged-answer.ts'
import type { Upload } from '../../platform/lib/streaming-json-member.ts'
import { FORM_ID, type SentForm } from './sent-form.ts'

/** What a page knows of its request. */
export type PageRequest = {
  readonly ctx: Ctx
  /** Who reads it; null for an anonymous reader. */
  readonly viewer: Person | null
  /** As the reader asked for it, with the address of the service. */
  readonly url: URL
  /** The path as routes name it, below the address of the service. */
  readonly route: string
  readonly path: Readonly<Record<string, string>>
  /** The value of the hidden field of each form that is sent back. */
  readonly formToken: string
  /** What a form sent; empty for a page that is read. */
  readonly form: SentForm
  /** For what pages about sessions do: cookies. */
  readonly c: Context<AppEnv>
}

/** Writes a page, or answers otherwise, such as with a redirect behind a form. */
export type PageHandler = (request: PageRequest) => Promise<Response | PageBody>

/** The same for a page with a form, which says why that was refused. */
export type Showing = (
  request: PageRequest,
  refusal?: string,
) => Response | PageBody | Promise<Response | PageBody>

/** What `<Layout>` makes. */
export type PageBody = HtmlEscapedString

/** What an operation answers to a page. */
export type Answer<Operation extends { readonly output: z.ZodType }> = z.output<Operation['output']>

/** The answer of an operation, called by a page with what a client would send, and refused as it would be. */
export async function ask<Output extends z.ZodType>(
  request: Pick<PageRequest, 'ctx'>,
  operation: TypedOperation<never, unknown, Output>,
  parameters: Readonly<Record<string, unknown>>,
  upload: Upload | null = null,
): Promise<z.output<Output>> {
  const { body } = await askPaged(request, operation, parameters, upload)
  return body
}

/** The same for what a form makes: it is made once, and answered again to a form that arrives twice. */
export async function askOnce<Output extends z.ZodType>(
  request: Pick<PageRequest, 'ctx' | 'form'>,
  operation: TypedOperation<never, unknown, Output>,
  parameters: Readonly<Record<string, unknown>>,
  upload: Upload | null = null,
): Promise<z.output<Output>> {
  const id = fieldText(request, FORM_ID)
  if (!/^[0-9a-f-]{36}$/.test(id)) {
    return ask(request, operation, parameters, upload)
  }
  const { ctx } = request
  const sent = describeForm(ctx, operation, { id, parameters, upload })
  const answer = await runOnce(ctx, sent, (once) =>
    ask({ ctx: once }, operation, parameters, upload),
  )
  return (isReplay(answer) ? await answer.json() : answer) as z.output<Output>
}

/** The same with what the headers of a list say of the whole. */
export async function askPaged<Output extends z.ZodType>(
  request: Pick<PageRequest, 'ctx'>,
  operation: TypedOperation<never, unknown, Output>,
  parameters: Readonly<Record<string, unknown>>,
  upload: Upload | null = null,
): Promise<{ body: z.output<Output>; page: PageInfo }> {
  const { body, page } = await askStreamed(request, operation, parameters, upload)
  return { body: body instanceof Response ? await body.json() : body, page }
}

/** The same, where a response that is sent while it is made has not been read. */
export async function askStreamed<Output extends z.ZodType>(
  { ctx }: Pick<PageRequest, 'ctx'>,
  { input, scope, run }: TypedOperation<never, unknown, Output>,
  parameters: Readonly<Record<string, unknown>>,
  upload: Upload | null = null,
): Promise<{ body: z.output<Output> | Response; page: PageInfo }> {
  const verb = (admitted: Ctx) => run(admitted, parseInput(input, parameters) as never)
  const answer = await guardVerb(verb, scope)({ ...ctx, upload, shortensValues: true })
  return (answer instanceof PagedAnswer ? answer : { body: answer, page: {} }) as {
    body: z.output<Output> | Response
    page: PageInfo
  }
}

/** Leads on behind a form that was accepted. */
export function redirectTo(path: string): Response {
  return new Response(null, { status: 303, headers: { location: path } })
}

/** Leads from an old address to the one that has taken its place. */
export function movedTo(location: string): Response {
  return new Response(null, { status: 301, headers: { location } })
}

/** A path of this service that an address names, to go back to; the home page for any other text. */
export function ownPath(text: string | null | undefined): string {
  return text !== null && text !== undefined && /^\/(?![/\\])[\x20-\x7e]*$/.test(text) ? text : '/'
}

/** A field of a form as text; empty where there is none. */
export function fieldText({ form }: Pick<PageRequest, 'form'>, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

/** What the button `do` of a form asks for. */
export function actOf<Act>(request: PageRequest, acts: Readonly<Record<string, Act>>): Act {
  const name = fieldText(request, 'do')
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined
  if (act === undefined) {
    throw invalidParameter('do', 'is nothing that these forms do')
  }
  return act
}

/** Refuses a form with a field that nobody has read: misspelled, it would have limited the rights that are given. */
export function assertWhollyRead({ form }: Pick<PageRequest, 'form'>): void {
  const [unknown] = form.unread
  if (unknown !== undefined) {
    throw invalidParameter(unknown.slice(0, 100), 'is no field of this form')
  }
}

/** Does what a form asks for. A refusal shows the page again, which keeps what was typed and tells the reason. */
export async function orAgain(
  { c }: Pick<PageRequest, 'c'>,
  act: () => Promise<Response | PageBody>,
  again: (refusal: string, kind: AnyFault) => Response | PageBody | Promise<Response | PageBody>,
): Promise<Response | PageBody> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Fault) {
      c.status(error.status)
      return again(error.message, error.kind)
    }
    throw error
  }
}

/** What a form leads to: what it asks for, or on a refusal the page that it stood on, as `orAgain` shows it. */
export function behindForm(show: Showing, act: PageHandler): PageHandler {
  return (request) =>
    orAgain(
      request,
      () => act(request),
      (refusal) => show(request, refusal),
    )
}

/** A refusal of a part of the page leaves that part out. */
export function ignoreFault<Value>(instead: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof Fault) {
      return instead
    }
    throw error
  }
}
