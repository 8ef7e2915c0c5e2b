import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type ConfigSources, checkConfig, loadConfig } from '../../../src/platform/config/config.ts'
import { StartFailure } from '../../../src/platform/processes/start-failure.ts'
import {
  type ConfigKey,
  configKeys,
  configRules,
  environmentName,
} from '../../../src/protocol/config.ts'
import { parseConfigValue } from '../../../src/protocol/config-parsing.ts'
import { configJsonSchema } from '../../../src/protocol/config-schema.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A clone with nothing in it, and a person who stands somewhere else. */
function place(file?: unknown): ConfigSources & { packageFolder: string } {
  const packageFolder = temporaryFolder()
  mkdirSync(join(packageFolder, '.git'))
  if (file !== undefined)
    writeFileSync(
      join(packageFolder, 'holdfast.config.json'),
      typeof file === 'string' ? file : JSON.stringify(file),
    )
  return { flags: {}, env: {}, cwd: temporaryFolder(), packageFolder, logToTerminal: false }
}

const problems = (sources: ConfigSources): readonly string[] => checkConfig(sources).problems

test('[CF1] without a file every value has its default and says so', () => {
  const sources = place()
  const { values, origins, file } = loadConfig(sources)
  expect(values).toMatchObject({
    host: '127.0.0.1',
    port: 4747,
    'cutover.hour': 4,
    'cutover.timezone': 'Asia/Tokyo',
    'coordinator.takeover_minutes': null,
  })
  expect(values.data).toBe(join(sources.packageFolder, '.holdfast'))
  expect(values['log.format']).toBe('json')
  expect(new Set(Object.values(origins))).toEqual(new Set(['default']))
  expect(file).toBeNull()
})

test('[CF1] keys are snake_case, so that variables and flags can be read', () => {
  expect(configKeys.filter((key) => !/^[a-z_]+(\.[a-z_]+)?$/.test(key))).toEqual([])
  expect(configKeys.length).toBeGreaterThan(10)
})

test('[CF1] flags win over environment, file and defaults; each value knows its origin', () => {
  const sources = place({ port: 1000, host: '::1', 'log.level': 'debug' })
  const { values, origins } = loadConfig({
    ...sources,
    env: { HOLDFAST_PORT: '2000', HOLDFAST_HOST: 'localhost' },
    flags: { port: '3000' },
  })
  expect([values.port, values.host, values['log.level']]).toEqual([3000, 'localhost', 'debug'])
  expect([origins.port, origins.host, origins['log.level'], origins.data]).toEqual([
    '--port',
    'HOLDFAST_HOST',
    join(sources.packageFolder, 'holdfast.config.json'),
    'default',
  ])
})

test('[CF1] grouped values may be written as a group', () => {
  expect(
    loadConfig(place({ $schema: './x.json', cutover: { hour: 5 } })).values['cutover.hour'],
  ).toBe(5)
  expect(problems(place({ cutover: { hour: 5 }, 'cutover.hour': 6 }))).toEqual([
    expect.stringContaining('set twice'),
  ])
})

test.each([
  ['unknown keys', { prot: 1 }, {}, 'There is no setting prot; did you mean port?'],
  [
    'unknown keys in groups',
    { log: { levle: 'info' } },
    {},
    'There is no setting log.levle; did you mean log.level?',
  ],
  [
    'unknown variables',
    undefined,
    { HOLDFAST_PROT: '1' },
    'There is no variable HOLDFAST_PROT; did you mean HOLDFAST_PORT?',
  ],
  [
    'numbers out of range',
    { port: 70_000 },
    {},
    'port must be a whole number from 0 to 65535; it is 70000; the nearest is 65535',
  ],
  ['numbers that are not whole', undefined, { HOLDFAST_CUTOVER_HOUR: '4.6' }, 'the nearest is 5'],
  [
    'words that are not allowed',
    undefined,
    { HOLDFAST_LOG_LEVEL: 'infos' },
    'log.level cannot be "infos"; did you mean info?',
  ],
  ['time zones nobody knows', { 'cutover.timezone': 'Asia/Tokio' }, {}, 'did you mean Asia/Tokyo?'],
  [
    'addresses with a path',
    undefined,
    { HOLDFAST_PUBLIC_URL: 'https://a.example/x' },
    'the nearest is https://a.example',
  ],
  ['things that are no addresses', { public_url: 'ftp://a' }, {}, 'public_url must be an address'],
  [
    'hosts without a port or for all',
    { metrics: { hosts: '10.0.0.11:4747,*' } },
    {},
    'metrics.hosts must be addresses with a port',
  ],
  [
    'switches that are neither',
    { behind_proxy: 'yes' },
    {},
    'behind_proxy must be one of true, false',
  ],
  ['files that are not JSON', '{ port: 1 }', {}, 'is not JSON'],
  ['files that hold no object', '[]', {}, 'must hold an object'],
])('[CF1] %s are refused with the nearest that would do', (_, file, env, message) => {
  const sources = { ...place(file), env }
  expect(problems(sources)).toEqual([expect.stringContaining(message)])
  expect(() => loadConfig(sources)).toThrow(StartFailure)
})

test('[CF1] everything that is wrong is told at once, with where it was said', () => {
  const failure = ((): StartFailure => {
    try {
      loadConfig({
        ...place({ prot: 1 }),
        env: { HOLDFAST_PORT: 'x' },
        flags: { 'cutover.hour': '99' },
      })
    } catch (error) {
      return error as StartFailure
    }
    throw new Error('it was accepted')
  })()
  expect(failure.message.split('\n')).toHaveLength(4)
  expect(failure.message).toContain('(HOLDFAST_PORT)')
  expect(failure.message).toContain('(--cutover-hour)')
  expect(failure).toMatchObject({ exitCode: 2, next: expect.stringContaining('doctor') })
})

test('[CF1] what launched agents are told is no configuration, nor an empty variable', () => {
  const env = {
    HOLDFAST_TOKEN: 'x',
    HOLDFAST_URL: 'x',
    HOLDFAST_LAUNCH_ID: 'x',
    HOLDFAST_MCP_URL: 'x',
    HOLDFAST_AGENT_ID: 'x',
    HOLDFAST_PROJECT_ID: 'x',
    HOLDFAST_PORT: '',
  }
  expect(problems({ ...place(), env })).toEqual([])
})

test('[CF2] a data folder is relative to who names it: the person, or the file', () => {
  const sources = place({ data: 'here' })
  expect(loadConfig(sources).values.data).toBe(join(sources.packageFolder, 'here'))
  expect(loadConfig({ ...sources, env: { HOLDFAST_DATA: './there' } }).values.data).toBe(
    join(sources.cwd, 'there'),
  )
  expect(loadConfig({ ...sources, flags: { data: 'elsewhere' } }).values.data).toBe(
    join(sources.cwd, 'elsewhere'),
  )
})

test('[CF1] a file in the data folder goes before the clone’s and cannot move its folder', () => {
  const sources = place({ port: 1 })
  const data = temporaryFolder()
  writeFileSync(join(data, 'holdfast.config.json'), JSON.stringify({ port: 2 }))
  expect(loadConfig({ ...sources, flags: { data } }).values.port).toBe(2)
  writeFileSync(join(data, 'holdfast.config.json'), JSON.stringify({ data: '/tmp' }))
  expect(problems({ ...sources, flags: { data } })).toEqual([
    expect.stringContaining('data cannot be set in a file inside the data folder'),
  ])
})

test('[CF1] a file that is named must be there, and then no other is looked at', () => {
  const sources = place({ port: 1 })
  const file = join(sources.cwd, 'mine.json')
  expect(problems({ ...sources, flags: { config: 'mine.json' } })).toEqual([
    `There is no file ${file} (--config or HOLDFAST_CONFIG)`,
  ])
  writeFileSync(file, JSON.stringify({ port: 3 }))
  expect(loadConfig({ ...sources, env: { HOLDFAST_CONFIG: file } }).values.port).toBe(3)
})

test('[SE4] a file in the folder a person happens to stand in configures nothing', () => {
  const sources = place()
  writeFileSync(
    join(sources.cwd, 'holdfast.config.json'),
    JSON.stringify({ host: '0.0.0.0', database_url: 'postgres://evil' }),
  )
  expect(loadConfig(sources)).toMatchObject({
    file: null,
    values: { host: '127.0.0.1', database_url: null },
  })
})

test('[CF3] DATABASE_URL means PostgreSQL, ours wins, and a password is never shown', () => {
  const env = { DATABASE_URL: 'postgres://a:geheim@db/x' }
  expect(loadConfig({ ...place(), env })).toMatchObject({
    values: { database_url: env.DATABASE_URL },
    origins: { database_url: 'DATABASE_URL' },
  })
  const both = { ...env, HOLDFAST_DATABASE_URL: 'postgresql://b/y' }
  expect(loadConfig({ ...place(), env: both }).values.database_url).toBe('postgresql://b/y')
  const [problem] = problems({ ...place(), env: { DATABASE_URL: 'mysql://a:geheim@db/x' } })
  expect(problem).toBe('database_url must begin with postgres:// (DATABASE_URL)')
})

test('[CF1] any IANA time zone will do, and off is off', () => {
  expect(
    loadConfig({
      ...place(),
      env: {
        HOLDFAST_CUTOVER_TIMEZONE: 'Europe/Berlin',
        HOLDFAST_COORDINATOR_TAKEOVER_MINUTES: 'off',
      },
    }).values,
  ).toMatchObject({
    'cutover.timezone': 'Europe/Berlin',
    'coordinator.takeover_minutes': null,
  })
  expect(parseConfigValue('cutover.timezone', '+09:00')).toHaveProperty('problem')
})

test('[CF1] the published schema names every setting with its range and its variable', () => {
  const { properties } = configJsonSchema() as {
    properties: Record<string, Record<string, unknown>>
  }
  for (const key of configKeys)
    expect(properties[key]).toMatchObject({ description: configRules[key].about })
  expect(properties['port']).toMatchObject({
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    default: 4747,
  })
  expect(properties['cutover']).toMatchObject({
    properties: { hour: { anyOf: [{ minimum: 0, maximum: 23 }, { const: 'off' }], default: 4 } },
  })
  const names: ConfigKey[] = ['log.level', 'coordinator.max_concurrent']
  expect(names.map(environmentName)).toEqual([
    'HOLDFAST_LOG_LEVEL',
    'HOLDFAST_COORDINATOR_MAX_CONCURRENT',
  ])
})

test('[SE11] projects.roots is a list of folders, absolute however it is said', () => {
  const sources = place({ projects: { roots: ['/srv', 'here'] } })
  const file = loadConfig(sources)
  expect(file.values['projects.roots']).toEqual(['/srv', join(dirname(file.file ?? ''), 'here')])
  const env = { HOLDFAST_PROJECTS_ROOTS: '/srv/a:/srv/b' }
  expect(loadConfig({ ...place(), env }).values['projects.roots']).toEqual(['/srv/a', '/srv/b'])
  expect(parseConfigValue('projects.roots', 'C:\\a;D:\\b')).toEqual({ value: ['C:\\a', 'D:\\b'] })
  expect(parseConfigValue('projects.roots', 'C:\\a')).toEqual({ value: ['C:\\a'] })
  for (const bad of ['', ':', [], [''], [7], 7, '/a::/b'])
    expect(parseConfigValue('projects.roots', bad)).toHaveProperty('problem')
  expect(loadConfig(place()).values['projects.roots']).toBeNull()
})
