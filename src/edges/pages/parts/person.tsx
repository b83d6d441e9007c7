type LinkedPerson = {
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly real_name?: string | undefined
}

/** The name of somebody, or else the login, as a link to their page. */
export function PersonLink({ person }: { person: LinkedPerson }) {
  const { id, name = '', real_name: realName = '' } = person
  return (
    <a href={`/people/${id}`} title={name}>
      {realName === '' ? name : realName}
    </a>
  )
}
