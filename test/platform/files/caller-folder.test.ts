import { expect, test } from 'vitest'
import { callerFolder, callerPath } from '../../../src/platform/files/caller-folder.ts'

test('[CF2] a relative path is meant where npm was called, not where npm went', () => {
  expect(callerFolder({ npm_lifecycle_event: 'start', INIT_CWD: '/people/me' }, '/clone')).toBe(
    '/people/me',
  )
  expect(callerFolder({ npm_lifecycle_event: 'holdfast', INIT_CWD: '/people/me' }, '/clone')).toBe(
    '/people/me',
  )
})

test('[CF2] without npm, or under a script that is not ours, it is the working directory', () => {
  expect(callerFolder({}, '/here')).toBe('/here')
  expect(callerFolder({ npm_lifecycle_event: 'test', INIT_CWD: '/clone' }, '/here')).toBe('/here')
  expect(callerFolder({ npm_lifecycle_event: 'start', INIT_CWD: 'relative' }, '/here')).toBe(
    '/here',
  )
})

const npm =
  '/people/me/.npm-global/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin'

test("[SE4] an agent gets the user's PATH, without the folders that npm put in front of it", () => {
  const path = (...folders: string[]) => folders.join(':')
  const theirs = path('/people/me/bin', '/people/me/tools/node_modules/.bin', '/usr/bin')
  const npms = path(
    '/people/me/holdfast/node_modules/.bin',
    '/people/me/node_modules/.bin',
    '/node_modules/.bin',
    npm,
  )
  for (const event of ['start', 'holdfast', 'npx'])
    expect(callerPath({ npm_lifecycle_event: event, PATH: path(npms, theirs) })).toBe(theirs)
  expect(callerPath({ npm_lifecycle_event: 'start', PATH: theirs })).toBe(theirs)
})

test('[SE4] without npm, or under a script that is not ours, PATH stays as it is', () => {
  const PATH = '/work/node_modules/.bin:/usr/bin'
  expect(callerPath({ PATH })).toBe(PATH)
  expect(callerPath({ PATH, npm_lifecycle_event: 'test' })).toBe(PATH)
  expect(callerPath({ npm_lifecycle_event: 'start' })).toBeUndefined()
})
