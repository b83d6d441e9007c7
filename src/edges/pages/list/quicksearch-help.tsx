const EXAMPLES = [
  ['toolbar icon', 'open bugs with both words'],
  ['"toolbar icon"', 'open bugs with the phrase'],
  ['ALL toolbar', 'whatever their status'],
  ['FIX toolbar', 'fixed bugs'],
  ['toolbar|sidebar -icon', 'one of two words, without a third'],
  ['product:mail component:filter P1-2', 'a place and priorities'],
  ['@kim', 'an assignee with kim in the login'],
  ['assigned_to=%user%', 'my bugs'],
  ['review?', 'a review that is asked for'],
  ['creation_ts>=-2w', 'filed within two weeks'],
  ['35, 36', 'bugs by their numbers'],
] as const

/** What a quicksearch understands, folded up. */
export function QuicksearchHelp() {
  return (
    <details>
      <summary>How to search</summary>
      <div class="wide">
        <table>
          <tbody>
            {EXAMPLES.map(([example, meaning]) => (
              <tr>
                <th scope="row">
                  <a href={`/bugs?quicksearch=${encodeURIComponent(example)}`}>
                    <code>{example}</code>
                  </a>
                </th>
                <td>{meaning}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        A single number or alias leads to the bug. <a href="/docs/search#quicksearch">All forms</a>{' '}
        · <a href="/search">Search with a form</a>
      </p>
    </details>
  )
}
