/** Says why nothing answers at a path: a method it does not have, or nothing at all. */
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'

/** Learns the routes that are registered from now on. */
export function refusalsWhereNothingIs(app: FastifyInstance): (path: string) => Refusal {
  const knownRoutes: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    const source = url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')
    knownRoutes.push({ methods: [method].flat(), pattern: new RegExp(`^${source}$`) })
  })
  return (path) => {
    const allow = knownRoutes
      .filter(({ pattern }) => pattern.test(path))
      .flatMap(({ methods }) => methods)
    if (allow.length > 0) return new Refusal('method_not_allowed', undefined, { allow })
    return new Refusal('not_found', refusalText('nothingHere'))
  }
}
