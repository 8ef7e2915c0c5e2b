/** Puts parameters and query into a route's path. Pure. */
import type { Problem } from '../protocol/problem.ts'
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
    throw new ProblemError(nothingWith(name, value))
  }
  return encodeURIComponent(value)
}

/** As the server would say it; written out, so that the page need not load the whole catalogue. */
const nothingWith = (name: string, value: string | undefined): Problem => ({
  type: 'https://holdfast.invalid/errors/not_found',
  title: 'Not found',
  status: 404,
  detail: `There is nothing with the ${name} ${JSON.stringify(value)}`,
  code: 'not_found',
  next: 'Check the id; lists show what exists.',
})
