/** docs/reference/errors.md: every code of the catalogue, by status. */
import { errorCatalogue } from '../../src/domain/errors.ts'
import { code, page, table } from './markdown.ts'

export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue)
    .sort(([a, one], [b, other]) => one.status - other.status || a.localeCompare(b))
    .map(([name, { status, title, next, retry }]) => [
      code(name),
      String(status),
      title,
      next,
      retry ? 'yes' : 'no',
    ])
  return page(
    '# Errors',
    [
      'An error is `application/problem+json`: `{type, title, status, detail, code, next, …}`. `code` is one of the words below and',
      'never changes its meaning; `detail` says what was wrong this time, for people; programs branch on `code` alone. The same codes',
      'come over HTTP, WebSocket and the command line. A refused request has changed nothing.',
    ].join('\n'),
    table(['code', 'status', 'what it means', 'what to do', 'worth trying again unchanged'], rows),
  )
}
