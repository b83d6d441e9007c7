import { expect, test } from 'vitest'
import { parseQuery } from '../../../support/search/parse-query.ts'

test.each([
  ['email1=a@x&emailassigned_to1=1', 'assigned_to equals "a@x"'],
  ['email1=a@x&emailassigned_to1=1&emailtype1=exact', 'assigned_to equals "a@x"'],
  [
    'email1=a&emailtype1=substring&emailassigned_to1=1&emailcc1=True',
    '(assigned_to substring "a" OR cc substring "a")',
  ],
  [
    'email1=a&emailreporter1=1&emailqa_contact1=1&emaillongdesc1=1',
    '(reporter equals "a" OR qa_contact equals "a" OR commenter equals "a")',
  ],
  [
    'email1=a&emailtype1=notequals&emailassigned_to1=1&emailcc1=1',
    '(assigned_to notequals "a" OR cc notequals "a")',
  ],
  [
    'email2=b&emailcc2=1&email10=c&emailcc10=1&email1=a&emailcc1=1',
    '(cc equals "a" AND cc equals "b" AND cc equals "c")',
  ],
  ['email1=a,b&emailtype1=anyexact&emailcc1=1', 'cc anyexact "a" "b"'],
  ['email1=a&email1=b&emailcc1=1', '(cc equals "a" OR cc equals "b")'],
  ['email1=%%user%%&emailcc1=1', 'cc equals "%user%"'],
  ['email1=a@x', 'NONE'],
  ['email1=&emailcc1=1', 'NONE'],
  ['email1=a&emailcc1=0&emailreporter1=false&emailqa_contact1=', 'NONE'],
  ['email1=,&emailtype1=anywords&emailcc1=1', 'NONE'],
  ['emailtype1=nonsense&emailcc1=1', 'NONE'],
  ['email1=a&emailtype1=nonsense&emailcc1=1', 32000],
  ['email1=a&emailtype1=matches&emailcc1=1', 32000],
])('a people block is any of its roles: %s', (query, expression) => {
  expect(parseQuery(query)).toBe(expression)
})
