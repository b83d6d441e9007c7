import type { Role } from '../../../platform/access/roles.ts'

/** A part of the administration: the pages at its path and below. */
type Section = {
  readonly path: string
  readonly title: string
  readonly about: string
  /** Without it, neither its pages nor what their forms send are answered. */
  readonly role: Role
}

export const SECTIONS: readonly Section[] = [
  {
    path: 'products',
    title: 'Products',
    about: 'Products with their components, versions, milestones and groups; classifications.',
    role: 'editcomponents',
  },
  {
    path: 'users',
    title: 'Users',
    about: 'Accounts: invite, rename, disable, and give them groups.',
    role: 'editusers',
  },
  {
    path: 'groups',
    title: 'Groups',
    about: 'Who belongs to which group, and what groups give each other.',
    role: 'creategroups',
  },
  {
    path: 'keywords',
    title: 'Keywords',
    about: 'The words that bugs are marked with.',
    role: 'editkeywords',
  },
  {
    path: 'flag-types',
    title: 'Flag types',
    about: 'What can be asked for on bugs and attachments.',
    role: 'editcomponents',
  },
  {
    path: 'fields',
    title: 'Fields',
    about: 'Fields of your own, and the values to choose from.',
    role: 'admin',
  },
  {
    path: 'workflow',
    title: 'Workflow',
    about: 'The statuses of bugs, and the moves between them.',
    role: 'admin',
  },
  {
    path: 'undelivered',
    title: 'Undelivered',
    about: 'Mails, webhooks, pushes and reminders that did not get through.',
    role: 'admin',
  },
  {
    path: 'audit',
    title: 'Audit log',
    about: 'Who changed the structure of the tracker, and when.',
    role: 'admin',
  },
  {
    path: 'settings',
    title: 'Settings',
    about: 'How this tracker is deployed, and what each setting means.',
    role: 'admin',
  },
]
