import { Fault } from '../../../platform/faults/fault.ts'
import { loggedIn } from '../../../platform/http/operations/operation.ts'
import { fileBug } from '../../../tracker/bugs/file/file.ts'
import { attachFile, readFile } from '../attachments/upload.ts'
import { askOnce, fieldText, type PageRequest, redirectTo } from '../page.ts'
import { refusedField } from '../parts/refused-field.ts'
import { chooseProduct } from './choose-product.tsx'
import { type GivenTexts, readNewForm, toParameters } from './controls.ts'
import { findDuplicates } from './duplicates.tsx'
import { NewBugForm } from './form.tsx'
import { loadEntry } from './load.ts'

/** Files the bug and attaches the file, once, however often their form arrives. */
export async function sendNew(request: PageRequest) {
  const { c } = request
  loggedIn.grant(request.ctx, {})
  const given = readNewForm(request)
  if (given.has('moved')) {
    return showAgain(request, given, {})
  }
  const looked = given.has('looked')
  const found = looked
    ? []
    : await findDuplicates(request, given.get('summary') ?? '', given.get('product') ?? '')
  if (found.length > 0) {
    return showAgain(request, given, { found })
  }
  let id: number
  try {
    const filed = await askOnce(request, fileBug, toParameters(given))
    id = filed.id
  } catch (error) {
    if (!(error instanceof Fault)) {
      throw error
    }
    c.status(error.status)
    return showAgain(request, given, {
      state: { refusal: { message: error.message, field: refusedField(error, given) } },
    })
  }
  const file = readFile(request)
  if (file === null) {
    return redirectTo(`/bug/${id}`)
  }
  try {
    await attachFile(request, id, { file, summary: fieldText(request, 'file_summary') })
    return redirectTo(`/bug/${id}`)
  } catch (error) {
    if (!(error instanceof Fault)) {
      throw error
    }
    return redirectTo(`/bug/${id}/attach?refused=${encodeURIComponent(error.message)}`)
  }
}

type Again = Pick<Parameters<typeof NewBugForm>[0], 'found'> & {
  state?: Parameters<typeof NewBugForm>[0]['state']
}

async function showAgain(request: PageRequest, given: GivenTexts, { found, state = {} }: Again) {
  const entry = await loadEntry(request, given.get('product') ?? '', given.get('component'))
  return entry === null ? (
    chooseProduct(request, given)
  ) : (
    <NewBugForm
      request={request}
      entry={entry}
      given={given}
      state={state}
      {...(found !== undefined && { found })}
    />
  )
}
