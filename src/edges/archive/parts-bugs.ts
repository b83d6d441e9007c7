import {
  attachments,
  bugCc,
  bugGroups,
  bugKeywords,
  bugs,
  comments,
  commentTags,
  dependencies,
  history,
  regressions,
  seeAlso,
} from '../../platform/db/schema/bugs.ts'
import { flagActivity, flags } from '../../platform/db/schema/flags.ts'
import { MAX_CC } from '../../tracker/bugs/edits/cc.ts'
import { days } from './form.ts'
import { aValue, list, ofProduct, own, type Part, part, refer } from './part.ts'

const COUNTED = 'counted by the database'

/** More than an edit allows: duplicates and components bring people along beyond that. */
const MAX_IMPORTED_CC = 2 * MAX_CC

/** Bugs, and what belongs to each of them. */
export const BUGS: readonly Part[] = [
  part(
    'bugs',
    'Bugs with their CC list, groups, keywords and custom fields, in the form of the API.',
    bugs,
    {
      ...own(bugs, 'alias', 'summary'),
      product: refer('product', bugs.productId),
      component: ofProduct('component', bugs.componentId),
      version: ofProduct('version', bugs.versionId),
      target_milestone: ofProduct('milestone', bugs.milestoneId),
      status: aValue('bug_status', bugs.statusId),
      resolution: aValue('resolution', bugs.resolutionId),
      is_confirmed: bugs.isConfirmed,
      type: aValue('bug_type', bugs.typeId),
      priority: aValue('priority', bugs.priorityId),
      severity: aValue('bug_severity', bugs.severityId),
      platform: aValue('rep_platform', bugs.platformId),
      op_sys: aValue('op_sys', bugs.opSysId),
      assigned_to: refer('person', bugs.assignedToId),
      creator: refer('person', bugs.reporterId),
      qa_contact: refer('person', bugs.qaContactId),
      ...own(bugs, 'isCcAccessible', 'isCreatorAccessible', 'url', 'whiteboard'),
      deadline: { column: bugs.deadline, form: days },
      ...own(bugs, 'estimatedTime', 'remainingTime', 'filedVia'),
      creation_time: bugs.createdAt,
      last_change_time: bugs.changedAt,
    },
    {
      distinct: [['alias']],
      hasCustomFields: true,
      changes: { ofBug: bugs.id },
      lists: [
        list('cc', bugCc, bugCc.bugId, refer('person', bugCc.userId), {
          most: MAX_IMPORTED_CC,
        }),
        list('groups', bugGroups, bugGroups.bugId, refer('group', bugGroups.groupId)),
        list('keywords', bugKeywords, bugKeywords.bugId, refer('keyword', bugKeywords.keywordId)),
      ],
      leftOut: {
        dupeOfId: 'in `bug_relations`',
        commentCount: COUNTED,
        publicCommentCount: COUNTED,
        groupCount: COUNTED,
        workedTime: COUNTED,
        publicWorkedTime: COUNTED,
      },
    },
  ),
  part(
    'bug_relations',
    'Links between bugs. `blocks`, `regressions` and `duplicates` are their other ends.',
    bugs,
    { dupe_of: refer('bug', bugs.dupeOfId) },
    {
      isAddition: true,
      changes: { ofBug: bugs.id },
      lists: [
        list(
          'depends_on',
          dependencies,
          dependencies.bugId,
          refer('bug', dependencies.dependsOnId),
        ),
        list(
          'regressed_by',
          regressions,
          regressions.bugId,
          refer('bug', regressions.regressedById),
        ),
        list(
          'see_also',
          seeAlso,
          seeAlso.bugId,
          { url: seeAlso.url, bug: refer('bug', seeAlso.localBugId) },
          { order: [seeAlso.id] },
        ),
      ],
    },
  ),
  part(
    'attachments',
    'Attachments; the bytes of each are the file `files/DIGEST`.',
    attachments,
    {
      bug_id: refer('bug', attachments.bugId),
      creator: refer('person', attachments.submitterId),
      creation_time: attachments.createdAt,
      last_change_time: attachments.changedAt,
      ...own(attachments, 'fileName', 'summary', 'contentType', 'size'),
      digest: attachments.sha256,
      ...own(attachments, 'isPrivate', 'isObsolete', 'isPatch', 'linkUrl'),
    },
    {
      changes: { ofBug: attachments.bugId },
      made: { objectKey: 'object key' },
      leftOut: {
        objectKey: 'the place of the bytes in the bucket of one tracker',
      },
    },
  ),
  part(
    'comments',
    'Comments; the one with the count 0 is the description.',
    comments,
    {
      bug_id: refer('bug', comments.bugId),
      count: comments.number,
      creator: refer('person', comments.authorId),
      creation_time: comments.createdAt,
      text: comments.body,
      ...own(comments, 'isPrivate', 'isMarkdown', 'kind'),
      attachment_id: refer('attachment', comments.attachmentId),
      related_bug: refer('bug', comments.relatedBugId),
      work_time: comments.workTime,
      change: comments.noticeId,
    },
    {
      distinct: [['bug_id', 'count']],
      changes: { ofBug: comments.bugId },
      lists: [
        list('tags', commentTags, commentTags.commentId, commentTags.name, {
          order: [commentTags.nameFold],
        }),
      ],
    },
  ),
  part(
    'history',
    'What changed: a line for each field of a change.',
    history,
    {
      bug_id: refer('bug', history.bugId),
      who: refer('person', history.authorId),
      when: history.changedAt,
      field_name: history.field,
      ...own(history, 'removed', 'added'),
      attachment_id: refer('attachment', history.attachmentId),
      comment_id: refer('comment', history.commentId),
      change: history.noticeId,
    },
    { changes: { ofBug: history.bugId } },
  ),
  part(
    'flags',
    'The flags of a bug and of its attachments.',
    bugs,
    {},
    {
      isAddition: true,
      changes: { ofBug: bugs.id },
      lists: [
        list('flags', flags, flags.bugId, {
          id: flags.id,
          type_id: refer('flagType', flags.typeId),
          attachment_id: refer('attachment', flags.attachmentId),
          status: flags.status,
          setter: refer('person', flags.setterId),
          requestee: refer('person', flags.requesteeId),
          creation_date: flags.createdAt,
          modification_date: flags.modifiedAt,
        }),
      ],
    },
  ),
  part(
    'flag_activity',
    'Every flag that was set, changed or removed.',
    flagActivity,
    {
      flag_id: flagActivity.flagId,
      type_id: refer('flagType', flagActivity.typeId),
      bug_id: refer('bug', flagActivity.bugId),
      attachment_id: refer('attachment', flagActivity.attachmentId),
      status: flagActivity.status,
      setter: refer('person', flagActivity.setterId),
      requestee: refer('person', flagActivity.requesteeId),
      creation_time: flagActivity.happenedAt,
    },
    { changes: { ofBug: flagActivity.bugId } },
  ),
]
