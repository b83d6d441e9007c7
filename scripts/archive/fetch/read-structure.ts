import type {
  SourceComponent,
  SourceField,
  SourceFlagType,
  SourceGroup,
  SourcePart,
  SourcePerson,
  SourceProduct,
  SourceValue,
} from '../source/shapes.ts'
import {
  readId,
  readList,
  readLogin,
  readMembers,
  readNumber,
  readText,
  readTexts,
  readTruth,
} from './read.ts'

export function readProduct(value: unknown): SourceProduct[] {
  const product = readMembers(value)
  return readPart(product).map((part) => ({
    ...part,
    description: readText(product.description),
    classification: readText(product.classification),
    has_unconfirmed: readTruth(product.has_unconfirmed, true),
    default_milestone: readText(product.default_milestone),
    components: readList(product.components).flatMap(readComponent),
    versions: readList(product.versions).flatMap(readPart),
    milestones: readList(product.milestones).flatMap(readPart),
  }))
}

function readPart(value: unknown): SourcePart[] {
  const { id, name, sort_key: sortKey, is_active: isActive } = readMembers(value)
  const text = readText(name)
  return text === ''
    ? []
    : [
        {
          ...{ id: readId(id), name: text, sort_key: readNumber(sortKey) },
          is_active: readTruth(isActive, true),
        },
      ]
}

function readComponent(value: unknown): SourceComponent[] {
  const component = readMembers(value)
  const { bug, attachment } = readMembers(component.flag_types)
  return readPart(component).map((part) => ({
    ...part,
    description: readText(component.description),
    default_assigned_to:
      readLogin(component.default_assigned_to) || readLogin(component.default_assignee),
    default_qa_contact: readLogin(component.default_qa_contact) || null,
    triage_owner: readLogin(component.triage_owner) || null,
    flag_types: [
      ...readList(bug).flatMap((type) => readFlagType(type, 'bug')),
      ...readList(attachment).flatMap((type) => readFlagType(type, 'attachment')),
    ],
  }))
}

function readFlagType(value: unknown, target: 'bug' | 'attachment'): SourceFlagType[] {
  const type = readMembers(value)
  const id = readId(type.id)
  return id === null
    ? []
    : [
        {
          ...{ id, target, name: readText(type.name), description: readText(type.description) },
          sort_key: readNumber(type.sort_key),
          is_active: readTruth(type.is_active, true),
          is_requestable: readTruth(type.is_requestable, true),
          is_requesteeble: readTruth(type.is_requesteeble, true),
          is_multiplicable: readTruth(type.is_multiplicable),
        },
      ]
}

export function readField(value: unknown): SourceField[] {
  const field = readMembers(value)
  const name = readText(field.name)
  return name === ''
    ? []
    : [
        {
          ...{ name, display_name: readText(field.display_name), type: readNumber(field.type) },
          is_custom: readTruth(field.is_custom) && name.startsWith('cf_'),
          is_mandatory: readTruth(field.is_mandatory),
          is_on_bug_entry: readTruth(field.is_on_bug_entry),
          visibility_field: readText(field.visibility_field) || null,
          visibility_values: readTexts(field.visibility_values),
          value_field: readText(field.value_field) || null,
          values: readList(field.values).map(readValue),
        },
      ]
}

function readValue(value: unknown): SourceValue {
  const given = readMembers(value)
  return {
    name: readText(given.name),
    description: readText(given.description),
    sort_key: readNumber(given.sort_key ?? given.sortkey),
    is_active: readTruth(given.is_active, true),
    is_open: readTruth(given.is_open, true),
    visibility_values: readTexts(given.visibility_values),
    can_change_to: readList(given.can_change_to).map((target) => {
      const { name, comment_required: needsComment } = readMembers(target)
      return { name: readText(name), comment_required: readTruth(needsComment) }
    }),
  }
}

export function readGroup(value: unknown): SourceGroup[] {
  const group = readMembers(value)
  const name = readText(group.name)
  return name === ''
    ? []
    : [
        {
          ...{ name, description: readText(group.description) },
          is_active: readTruth(group.is_active, true),
          is_bug_group: readTruth(group.is_bug_group),
          user_regexp: readText(group.user_regexp),
        },
      ]
}

export function readUser(value: unknown): SourcePerson[] {
  const user = readMembers(value)
  const name = readLogin(user)
  const canLogIn = readTruth(user.can_login, true)
  return name === ''
    ? []
    : [
        {
          ...{ name, id: readId(user.id), real_name: readText(user.real_name) },
          login_denied_text:
            readText(user.login_denied_text) || (canLogIn ? '' : 'The account is disabled.'),
          groups: readList(user.groups).map((group) => readText(readMembers(group).name)),
        },
      ]
}
