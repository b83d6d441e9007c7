import { listKeywords } from '../../../tracker/keywords/list.ts'
import { Layout } from '../layout.tsx'
import { ask, movedTo, type PageRequest } from '../page.ts'

/** What keywords mean, and how many bugs that the reader sees have each. */
export async function showKeywords(request: PageRequest) {
  if (request.route !== '/keywords') {
    return movedTo('/keywords')
  }
  const { keywords } = await ask(request, listKeywords, {})
  return (
    <Layout request={request} title="Keywords" description="What keywords of bugs mean.">
      <h1>Keywords</h1>
      {keywords.length === 0 && <p class="muted">There are none yet.</p>}
      <dl class="items">
        {keywords.map(({ name = '', description, bug_count: count, is_active: isActive }) => (
          <div>
            <dt>
              <a href={`/bugs?keywords=${encodeURIComponent(name)}`}>{name}</a>{' '}
              <span class="muted">
                {count} {count === 1 ? 'bug' : 'bugs'}
                {isActive === false && ', not given any more'}
              </span>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Layout>
  )
}
