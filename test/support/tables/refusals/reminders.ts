import { type Refusal, refused } from './refusal.ts'

export type ReminderSenders = 'anyone' | 'owner' | 'stranger' | 'admin'

const reminder = { bug_id: '{bug}', reminder_ts: '2099-12-24' }

/** What the operations on reminders refuse. */
export const REMINDER_REFUSALS: Record<string, readonly Refusal<ReminderSenders>[]> = {
  'Set a reminder': [
    refused(410, 'anyone', 'POST /reminder', reminder),
    refused(410, 'anyone', 'POST /reminder', { ...reminder, bug_id: '{hidden}' }),
    refused(102, 'owner', 'POST /reminder', { ...reminder, bug_id: '{hidden}' }),
    ...[
      { code: 32_000, body: 'bug_id=1' },
      { code: 32_000, body: '[]' },
      { code: 100, body: { reminder_ts: '2099-12-24' } },
      { code: 100, body: { ...reminder, bug_id: '' } },
      { code: 100, body: { ...reminder, bug_id: 'NoSuch' }, naming: 'NoSuch' },
      { code: 100, body: { ...reminder, bug_id: -1 } },
      { code: 101, body: { ...reminder, bug_id: 999_999_999 } },
      { code: 53, body: { ...reminder, bug_id: ['{bug}', '{bug}'] }, naming: 'bug_id' },
      { code: 56, body: { bug_id: '{bug}' }, naming: 'reminder_ts' },
      ...[
        '',
        'tomorrow',
        '2099-02-29',
        '2100-02-29',
        '2099-13-01',
        '2099-00-10',
        '2099-12-32',
        '2099-1-2',
        '24.12.2099',
        '20991224',
        '2099-12-24T10:00:00Z',
        '12099-12-24',
        2099,
      ].map((reminder_ts) => ({
        code: 56,
        body: { ...reminder, reminder_ts },
        naming: 'reminder_ts',
      })),
      { code: 53, body: { ...reminder, reminder_ts: true }, naming: 'reminder_ts' },
      { code: 104, body: { ...reminder, note: 'x'.repeat(256) }, naming: '255' },
      { code: 104, body: { ...reminder, note: 'é'.repeat(256) }, naming: 'note' },
      { code: 53, body: { ...reminder, note: { text: 'x' } }, naming: 'note' },
    ].map((refusal) => ({ ...refusal, by: 'stranger' as const, request: 'POST /reminder' })),
  ],
  'Get a reminder': [
    refused(410, 'anyone', 'GET /reminder/{reminder}'),
    refused(410, 'anyone', 'GET /reminder/NoSuch'),
    refused(51, 'stranger', 'GET /reminder/{reminder}'),
    refused(51, 'admin', 'GET /reminder/{reminder}'),
    refused(51, 'owner', 'GET /reminder/999999999'),
    refused(51, 'owner', 'GET /reminder/99999999999999999999'),
    refused(51, 'owner', 'GET /reminder/0'),
    { code: 32_000, by: 'owner', request: 'GET /reminder/NoSuch', naming: 'NoSuch' },
    refused(32_000, 'owner', 'GET /reminder/-1'),
    refused(32_000, 'owner', 'GET /reminder/1.5'),
  ],
  'List reminders': [
    refused(410, 'anyone', 'GET /reminder'),
    { code: 50, by: 'owner', request: 'GET /reminder?offset=1', naming: 'limit' },
    { code: 52, by: 'owner', request: 'GET /reminder?limit=x', naming: 'limit' },
  ],
  'Remove a reminder': [
    refused(410, 'anyone', 'DELETE /reminder/{reminder}'),
    { code: 32_000, by: 'owner', request: 'DELETE /reminder/NoSuch', naming: 'NoSuch' },
    refused(32_000, 'owner', 'DELETE /reminder/-1'),
  ],
}
