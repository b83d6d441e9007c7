import { describe, expect, test } from 'vitest'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import {
  insertChange,
  insertComment,
  insertNotice,
  insertNoticed,
} from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { buildMailService, deliverNotice } from '../../support/fakes/mail-service.ts'

describe('a mail hides', () => {
  test('a private comment reaches insiders only', async () => {
    const [author, insider, outsider] = [
      await insertPerson({ roles: ['insider'] }),
      await insertPerson({ roles: ['insider'] }),
      await insertPerson(),
    ]
    const about = await insertBug({ reporter: author, assignee: insider, cc: [outsider] })
    const id = await insertNotice(about, author)
    await insertComment(about, author, {
      noticeId: id,
      body: 'the password is tulip',
      isPrivate: true,
    })
    await insertNoticed(id, about, author, ['priority', 'P1', 'P2'])
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.mailTo(insider.login)?.text).toContain('the password is tulip')
    const mail = box.mailTo(outsider.login)
    expect(mail?.text).toContain('P2')
    expect(JSON.stringify(mail)).not.toMatch(/tulip|comment/i)
  })

  test('a reader who may see nothing of a change gets no mail', async () => {
    const [author, outsider] = [await insertPerson({ roles: ['insider'] }), await insertPerson()]
    const about = await insertBug({ reporter: author, assignee: outsider })
    const id = await insertNotice(about, author)
    const comment = await insertComment(about, author, {
      noticeId: id,
      body: 'secret',
      isPrivate: true,
    })
    await insertChange(about, author, {
      noticeId: id,
      field: 'longdescs.isprivate',
      removed: '0',
      added: '1',
      commentId: comment,
    })
    await insertNoticed(id, about, author, ['work_time', '', '2'])
    const box = buildMailService()

    expect(await deliverNotice(box.ctx(), id)).toBe('done')

    expect(box.sent).toEqual([])
  })

  test('the description of a new bug that is private is shown to insiders only', async () => {
    const [author, insider, outsider] = [
      await insertPerson({ roles: ['insider'] }),
      await insertPerson({ roles: ['insider'] }),
      await insertPerson(),
    ]
    const about = await insertBug({ reporter: author, assignee: outsider, cc: [insider] })
    const id = await insertNotice(about, author, { kind: 'created' })
    await insertComment(about, author, {
      noticeId: id,
      body: 'behind the curtain',
      isPrivate: true,
    })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.mailTo(insider.login)?.text).toContain('behind the curtain')
    expect(box.mailTo(outsider.login)?.subject).toContain('New: ')
    expect(JSON.stringify(box.mailTo(outsider.login))).not.toContain('curtain')
  })

  test('changes and comments of a private attachment reach insiders and who submitted it only', async () => {
    const [author, insider, outsider, submitter] = [
      await insertPerson({ roles: ['insider'] }),
      await insertPerson({ roles: ['insider'] }),
      await insertPerson(),
      await insertPerson(),
    ]
    const about = await insertBug({
      reporter: author,
      assignee: insider,
      cc: [outsider, submitter],
    })
    const id = await insertNotice(about, author)
    const attachmentId = await insertAttachment(about, submitter, {
      summary: 'core dump',
      isPrivate: true,
    })
    await insertComment(about, author, {
      noticeId: id,
      body: '',
      kind: 'attachment_created',
      attachmentId,
    })
    await insertChange(about, author, {
      noticeId: id,
      field: 'attachments.description',
      removed: 'old core',
      added: 'core dump',
      attachmentId,
    })
    await insertNoticed(id, about, author, ['whiteboard', '', 'look here'])
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    for (const { login } of [insider, submitter]) {
      expect(box.mailTo(login)?.text).toContain(`Created attachment ${attachmentId}`)
      expect(box.mailTo(login)?.text).toContain('old core')
      expect(box.mailTo(login)?.headers['X-Tracker-Attach-ID']).toBe(String(attachmentId))
    }
    expect(box.mailTo(outsider.login)?.text).toContain('look here')
    expect(JSON.stringify(box.mailTo(outsider.login))).not.toMatch(/core|attach/i)
  })

  test('hours reach the time-tracking group only', async () => {
    const [author, tracker, other] = [
      await insertPerson({ roles: ['timetracking'] }),
      await insertPerson({ roles: ['timetracking'] }),
      await insertPerson(),
    ]
    const about = await insertBug({ reporter: author, assignee: tracker, cc: [other] })
    const id = await insertNotice(about, author)
    await insertNoticed(
      id,
      about,
      author,
      ['work_time', '', '17.5'],
      ['estimated_time', '1', '18.25'],
      ['remaining_time', '1', '19.75'],
      ['deadline', '', '2026-12-24'],
    )
    await insertComment(about, author, { noticeId: id, body: '', workTime: 17.5 })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.mailTo(tracker.login)?.text).toMatch(/17\.5[\s\S]*18\.25[\s\S]*19\.75/)
    expect(box.mailTo(other.login)?.text).toContain('2026-12-24')
    expect(JSON.stringify(box.mailTo(other.login))).not.toMatch(/17\.5|18\.25|19\.75|_time|Comment/)
  })

  test('hours that were recorded with a private comment reach insiders of the time-tracking group', async () => {
    const [author, insider, tracker] = [
      await insertPerson(),
      await insertPerson({ roles: ['insider', 'timetracking'] }),
      await insertPerson({ roles: ['timetracking'] }),
    ]
    const about = await insertBug({ reporter: author, assignee: insider, cc: [tracker] })
    const id = await insertNotice(about, author)
    await insertNoticed(id, about, author, ['work_time', '', '17.5'])
    await insertComment(about, author, {
      noticeId: id,
      body: 'hush',
      isPrivate: true,
      workTime: 17.5,
    })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to)).toEqual([insider.login])
    expect(box.sent[0]?.text).toContain('17.5')
  })

  test('tags of a comment on a private attachment reach insiders and who submitted it only', async () => {
    const [author, insider, outsider, submitter] = [
      await insertPerson(),
      await insertPerson({ roles: ['insider'] }),
      await insertPerson(),
      await insertPerson(),
    ]
    const about = await insertBug({
      reporter: author,
      assignee: insider,
      cc: [outsider, submitter],
    })
    const attachmentId = await insertAttachment(about, submitter, {
      summary: 'core',
      isPrivate: true,
    })
    const commentId = await insertComment(about, author, { body: 'On it.', attachmentId })
    const id = await insertNotice(about, author)
    await insertChange(about, author, {
      noticeId: id,
      field: 'comment_tag',
      removed: '',
      added: 'tulip',
      commentId,
    })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    expect(box.sent.map(({ to }) => to).sort()).toEqual([insider.login, submitter.login].sort())
  })

  test('other bugs are named only to readers who see them', async () => {
    const [author, member, outsider] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const hiddenBug = await insertBug({
      groups: [await insertGroup([author, member])],
      summary: 'The hidden one',
    })
    const twin = await insertBug({ groups: [await insertGroup([author, member])] })
    const openBug = await insertBug({ summary: 'The open one' })
    const about = await insertBug({ reporter: author, assignee: member, cc: [outsider] })
    const id = await insertNotice(about, author)
    await insertNoticed(
      id,
      about,
      author,
      ['depends_on', '', `${hiddenBug.id}, ${openBug.id}`],
      ['blocks', String(hiddenBug.id), ''],
    )
    await insertChange(about, author, {
      noticeId: id,
      field: 'see_also',
      removed: '',
      added: `https://tracker.test/bug/${hiddenBug.id}, https://elsewhere.test/bug/${hiddenBug.id}`,
    })
    await insertComment(about, author, {
      noticeId: id,
      body: 'Same thing.',
      kind: 'duplicate_of',
      relatedBugId: twin.id,
    })
    await insertComment(about, author, {
      noticeId: id,
      body: '',
      kind: 'has_duplicate',
      relatedBugId: twin.id,
    })
    const box = buildMailService()

    await deliverNotice(box.ctx(), id)

    const memberText = box.mailTo(member.login)?.text ?? ''
    expect(memberText).toContain(`${hiddenBug.id}, ${openBug.id}`)
    expect(memberText).toContain('The hidden one')
    expect(memberText).toContain(`duplicate of bug ${twin.id} ***`)
    expect(memberText).toContain('Blocks|')
    const kept = box.mailTo(outsider.login)
    expect(kept?.text).toContain(`Depends on|                            |${openBug.id}\n`)
    expect(kept?.text).toContain('The open one')
    expect(kept?.text).toContain('Same thing.')
    expect(kept?.text).toContain('elsewhere.test')
    expect(kept?.text).not.toMatch(/hidden|\*\*\*|Blocks|Comment #1|tracker\.test\/bug\/\d+,/)
    const ownLinks = [...(kept?.text.matchAll(/tracker\.test\/bug\/(\d+)/g) ?? [])]
    expect(ownLinks.map(([, number]) => Number(number))).not.toContain(hiddenBug.id)
  })
})
