import type { PeoplePresenter } from '../users/people.ts'
import type { Component } from './shapes.ts'
import type { ComponentState } from './state.ts'

/** `defaultType` is for components that set none. */
export function presentComponent(
  id: number,
  state: ComponentState,
  { people, defaultType }: { people: PeoplePresenter; defaultType: string },
): Component {
  return {
    id,
    name: state.name,
    description: state.description,
    is_active: state.isActive,
    default_bug_type: state.type?.name ?? defaultType,
    default_assignee: people.presentLogin(state.assignee.login),
    default_qa_contact: people.presentLogin(state.qaContact?.login ?? ''),
    triage_owner: people.presentLogin(state.triageOwner?.login ?? ''),
    team_name: state.teamName,
    bug_description_template: state.template,
  }
}
