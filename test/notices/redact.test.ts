import { describe, expect, test } from 'vitest'
import { deliverNotice } from '../support/delivery.ts'
import { attached, bug, changed, commented, notice } from '../support/happening.ts'
import { outbox } from '../support/outbox.ts'
import { group, person } from '../support/world.ts'

describe('hides', () => {
  test('a private comment reaches insiders only', async () => {
    const [author, insider, outsider] = [
      await person({ roles: ['insider'] }),
      await person({ roles: ['insider'] }),
      await person(),
    ]
    const about = await bug({ reporter: author, assignee: insider, cc: [outsider] })
    const id = await notice(about, author)
    await commented(about, author, id, 'the password is tulip', { isPrivate: true })
    await changed(about, author, id, 'priority', 'P1', 'P2')
    const box = outbox()

    await deliverNotice(box.ctx(), id)

    expect(box.mailTo(insider.login)?.text).toContain('the password is tulip')
    const mail = box.mailTo(outsider.login)
    expect(mail?.text).toContain('P2')
    expect(JSON.stringify(mail)).not.toMatch(/tulip|comment/i)
  })

  test('who may see nothing of a change gets no mail', async () => {
    const [author, outsider] = [await person({ roles: ['insider'] }), await person()]
    const about = await bug({ reporter: author, assignee: outsider })
    const id = await notice(about, author)
    const comment = await commented(about, author, id, 'secret', { isPrivate: true })
    await changed(about, author, id, 'longdescs.isprivate', '0', '1', { commentId: comment })
    await changed(about, author, id, 'work_time', '', '2')
    const box = outbox()

    expect(await deliverNotice(box.ctx(), id)).toBe('settled')

    expect(box.sent).toEqual([])
  })

  test('the description of a new bug that is private is told to insiders only', async () => {
    const [author, insider, outsider] = [
      await person({ roles: ['insider'] }),
      await person({ roles: ['insider'] }),
      await person(),
    ]
    const about = await bug({ reporter: author, assignee: outsider, cc: [insider] })
    const id = await notice(about, author, { kind: 'created' })
    await commented(about, author, id, 'behind the curtain', { isPrivate: true })
    const box = outbox()

    await deliverNotice(box.ctx(), id)

    expect(box.mailTo(insider.login)?.text).toContain('behind the curtain')
    expect(box.mailTo(outsider.login)?.subject).toContain('New: ')
    expect(JSON.stringify(box.mailTo(outsider.login))).not.toContain('curtain')
  })

  test('changes and comments of a private attachment reach insiders and who submitted it only', async () => {
    const [author, insider, outsider, submitter] = [
      await person({ roles: ['insider'] }),
      await person({ roles: ['insider'] }),
      await person(),
      await person(),
    ]
    const about = await bug({ reporter: author, assignee: insider, cc: [outsider, submitter] })
    const id = await notice(about, author)
    const attachmentId = await attached(about, submitter, 'core dump', true)
    await commented(about, author, id, '', { kind: 'attachment_created', attachmentId })
    await changed(about, author, id, 'attachments.description', 'old core', 'core dump', {
      attachmentId,
    })
    await changed(about, author, id, 'whiteboard', '', 'look here')
    const box = outbox()

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
      await person({ roles: ['timetracking'] }),
      await person({ roles: ['timetracking'] }),
      await person(),
    ]
    const about = await bug({ reporter: author, assignee: tracker, cc: [other] })
    const id = await notice(about, author)
    await changed(about, author, id, 'work_time', '', '17.5')
    await changed(about, author, id, 'estimated_time', '1', '18.25')
    await changed(about, author, id, 'remaining_time', '1', '19.75')
    await changed(about, author, id, 'deadline', '', '2026-12-24')
    await commented(about, author, id, '', { workTime: 17.5 })
    const box = outbox()

    await deliverNotice(box.ctx(), id)

    expect(box.mailTo(tracker.login)?.text).toMatch(/17\.5[\s\S]*18\.25[\s\S]*19\.75/)
    expect(box.mailTo(other.login)?.text).toContain('2026-12-24')
    expect(JSON.stringify(box.mailTo(other.login))).not.toMatch(/17\.5|18\.25|19\.75|_time|Comment/)
  })

  test('other bugs are named only to who sees those', async () => {
    const [author, member, outsider] = [await person(), await person(), await person()]
    const hiddenBug = await bug({
      groups: [await group([author, member])],
      summary: 'The hidden one',
    })
    const twin = await bug({ groups: [await group([author, member])] })
    const openBug = await bug({ summary: 'The open one' })
    const about = await bug({ reporter: author, assignee: member, cc: [outsider] })
    const id = await notice(about, author)
    await changed(about, author, id, 'depends_on', '', `${hiddenBug.id}, ${openBug.id}`)
    await changed(about, author, id, 'blocks', String(hiddenBug.id), '')
    await changed(
      about,
      author,
      id,
      'see_also',
      '',
      `https://tracker.test/bug/${hiddenBug.id}, https://elsewhere.test/bug/${hiddenBug.id}`,
    )
    await commented(about, author, id, 'Same thing.', {
      kind: 'duplicate_of',
      relatedBugId: twin.id,
    })
    await commented(about, author, id, '', { kind: 'has_duplicate', relatedBugId: twin.id })
    const box = outbox()

    await deliverNotice(box.ctx(), id)

    const told = box.mailTo(member.login)?.text ?? ''
    expect(told).toContain(`${hiddenBug.id}, ${openBug.id}`)
    expect(told).toContain('The hidden one')
    expect(told).toContain(`duplicate of bug ${twin.id} ***`)
    expect(told).toContain('Blocks|')
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
