/** Puts parameters and query into a route's path. Pure. */
import { problemOf } from '../protocol/problem.ts'
import { ProblemError } from './failures.ts'

export function requestPath(
  template: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, params[name]))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return search.size > 0 ? `${path}?${search}` : path
}

/**
 * Refuses `.` and `..`, which would lead to another route, and an empty value, which would name the
 * list.
 */
function segment(name: string, value: string | undefined): string {
  if (value === undefined || value === '' || value === '.' || value === '..') {
    throw new ProblemError(
      problemOf({
        code: 'not_found',
        message: `There is nothing with the ${name} ${JSON.stringify(value)}`,
        fields: {},
      }),
    )
  }
  return encodeURIComponent(value)
}
