/** docs/reference/http.md: the list of routes, and the shape of each. */
import type { Scopes } from '../../src/doors/rest/handler.ts'
import { scopes } from '../../src/doors/rest/register-routes.ts'
import type { Route } from '../../src/protocol/route.ts'
import { routes } from '../../src/protocol/routes.ts'
import { code, page, table } from './markdown.ts'
import { shapeOf } from './shape.ts'

const whoMay = (scope: Scopes[string] = 'anybody'): string =>
  scope === 'nobody'
    ? 'no credential'
    : scope === 'anybody'
      ? 'any credential'
      : `scope ${code(scope)}`

const block = (title: string, text: string): string => `${title}\n\n\`\`\`\n${text}\n\`\`\``

function describe([operation, route]: readonly [string, Route]): string {
  const parts = [
    `### ${route.method} ${route.path}`,
    `${route.summary}. Needs ${whoMay(scopes[operation])}. Operation ${code(operation)}.`,
  ]
  if (route.query) parts.push(block('Query', shapeOf(route.query, 'input')))
  if (route.body) parts.push(block('Body', shapeOf(route.body, 'input')))
  const answer = route.answer ? shapeOf(route.answer, 'output') : undefined
  if (answer)
    parts.push(
      block(
        `Answer ${route.status}${route.alsoStatus ? `, or ${route.alsoStatus} when it was made` : ''}`,
        answer,
      ),
    )
  else parts.push(`Answer ${route.status}${route.media ? `, ${code(route.media)}` : ', no body'}.`)
  return parts.join('\n\n')
}

export function httpPage(): string {
  const all = Object.entries<Route>(routes).sort(
    ([, one], [, other]) =>
      one.path.localeCompare(other.path) || one.method.localeCompare(other.method),
  )
  return page(
    '# HTTP',
    [
      'Every route there is. A running server has the same list as OpenAPI at `/api/openapi.json` and for reading at `/api/docs`.',
      'Names are camelCase, times are RFC 3339 in UTC with milliseconds. Lists are `{items, nextCursor}`: ask for the next page with',
      '`cursor=<nextCursor>`; `null` means there is none. Writes take `Idempotency-Key`: the same key from the same credential within',
      '7 days gives the same answer and is done once. Errors are described in [errors.md](errors.md).',
    ].join('\n'),
    table(
      ['route', 'does', 'needs'],
      all.map(([operation, { method, path, summary }]) => [
        code(`${method} ${path}`),
        summary,
        whoMay(scopes[operation]),
      ]),
    ),
    '## Shapes',
    ...all.map(describe),
  )
}
