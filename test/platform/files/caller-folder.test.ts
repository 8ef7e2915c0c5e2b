import { expect, test } from 'vitest'
import { callerFolder } from '../../../src/platform/files/caller-folder.ts'

test('[CF2] a relative path is meant where npm was called, not where npm went', () => {
  expect(callerFolder({ npm_lifecycle_event: 'start', INIT_CWD: '/people/me' }, '/clone')).toBe('/people/me')
  expect(callerFolder({ npm_lifecycle_event: 'holdfast', INIT_CWD: '/people/me' }, '/clone')).toBe('/people/me')
})

test('[CF2] without npm, or under a script that is not ours, it is the working directory', () => {
  expect(callerFolder({}, '/here')).toBe('/here')
  expect(callerFolder({ npm_lifecycle_event: 'test', INIT_CWD: '/clone' }, '/here')).toBe('/here')
  expect(callerFolder({ npm_lifecycle_event: 'start', INIT_CWD: 'relative' }, '/here')).toBe('/here')
})
