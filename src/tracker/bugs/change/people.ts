import { fault, valueBlank } from '../../../platform/faults/fault.ts'
import { boolean, clearableText, text } from '../../../platform/http/operations/shapes.ts'
import { addChanges, type Capability, capability } from '../model/capability.ts'
import { requirePerson } from '../model/field-values.ts'
import type { FieldChange } from '../model/history-fields.ts'

/**
 * Assignee and QA contact. A reset takes precedence over a name, as it sees the component that the bug comes into.
 */
export const peopleCapability: Capability = capability({
  input: {
    assigned_to: text(),
    qa_contact: clearableText(),
    reset_assigned_to: boolean(),
    reset_qa_contact: boolean(),
  },

  logins({ assigned_to, qa_contact }) {
    return [assigned_to, qa_contact]
  },

  proposeChanges(decision, { input, people }) {
    const { defaultPeople, component } = decision.placement
    const changes: FieldChange[] = []
    if (input.assigned_to !== undefined) {
      if (input.assigned_to.trim() === '') {
        throw fault(valueBlank, { field: 'assigned_to' })
      }
      const { id, login } = requirePerson(people, 'assigned_to', input.assigned_to)
      changes.push({ field: 'assigned_to', value: id, added: login })
    }
    if (input.reset_assigned_to) {
      const { assigneeId, assignee } = defaultPeople
      changes.push({ field: 'assigned_to', value: assigneeId, added: assignee })
    }
    if (input.qa_contact !== undefined) {
      const given = input.qa_contact?.trim() ?? ''
      const named = given === '' ? null : requirePerson(people, 'qa_contact', given)
      changes.push({ field: 'qa_contact', value: named?.id ?? null, added: named?.login ?? '' })
    }
    if (input.reset_qa_contact) {
      const { qaContactId, qaContact } = defaultPeople
      changes.push({ field: 'qa_contact', value: qaContactId, added: qaContact ?? '' })
    }
    const last = changes.filter(
      ({ field }, i) => changes.findLastIndex((other) => other.field === field) === i,
    )
    const resets = input.reset_assigned_to || input.reset_qa_contact
    return {
      ...addChanges(decision, last),
      preconditions: [...decision.preconditions, ...(resets ? [component] : [])],
    }
  },

  decideAll(_, { input }) {
    const overruled = [
      input.reset_assigned_to && input.assigned_to !== undefined ? ['assigned_to'] : [],
      input.reset_qa_contact && input.qa_contact !== undefined ? ['qa_contact'] : [],
    ]
    return { unused: overruled.flat() }
  },
})
