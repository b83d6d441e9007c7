import { createKeyword } from '../../../tracker/keywords/create.ts'
import { listKeywords } from '../../../tracker/keywords/list.ts'
import { removeKeyword } from '../../../tracker/keywords/remove.ts'
import { updateKeyword } from '../../../tracker/keywords/update.ts'
import { ask, type PageRequest } from '../page.ts'
import { AdminFrame, type AdminPage, sending } from './frame.tsx'
import { ABOUT, NAME, Objects, OFFERED, openedOf, readFields } from './objects.tsx'

const KEYWORD = [NAME, ABOUT, OFFERED]

/** The keywords that bugs may have. */
export const keywordsPage: AdminPage = {
  show: showKeywords,
  send: sending(showKeywords, {
    'keyword.create': (request) => ask(request, createKeyword, readFields(request, KEYWORD)),
    'keyword.save': (request) =>
      ask(request, updateKeyword, { ...opened(request), ...readFields(request, KEYWORD) }),
    'keyword.remove': (request) => ask(request, removeKeyword, opened(request)),
  }),
}

function opened(request: PageRequest) {
  return { id_or_name: openedOf(request, 'keyword') }
}

async function showKeywords(request: PageRequest, refusal?: string) {
  const { keywords: all } = await ask(request, listKeywords, {})
  return (
    <AdminFrame request={request} title="Keywords" refusal={refusal}>
      <Objects
        request={request}
        kind="keyword"
        title="Keywords"
        fields={KEYWORD}
        items={all.map((one) => ({
          id: String(one.id),
          title: one.name ?? '',
          about: `${one.description} (${one.bug_count} bugs)`,
          isClosed: one.is_active === false,
          values: one,
        }))}
        fresh={{ is_active: true }}
        canRemove
      />
    </AdminFrame>
  )
}
