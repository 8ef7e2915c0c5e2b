/** The files for those who run it as a service name only what exists: metrics, commands, variables. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../../src/cli/command-list.ts'
import { configKeys, parseConfigValue } from '../../src/protocol/config.ts'

const root = join(import.meta.dirname, '..', '..')
const text = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')
const found = (pattern: RegExp, within: string): string[] => [...within.matchAll(pattern)].map(([, name = '']) => name)

test('[OP1] every metric that an alert looks at is one the server gives', () => {
  const metrics = readdirSync(join(root, 'src', 'server', 'http')).filter((file) => /metrics.*\.ts$/.test(file))
  const source = metrics.map((file) => text('src', 'server', 'http', file)).join('\n')
  const named = found(/\b((?:holdfast|nodejs)_[a-z0-9_]+)/g, text('deploy', 'prometheus-alerts.yml'))
  expect(named.length).toBeGreaterThan(5)
  for (const name of named) expect(source).toContain(name.replace(/_bucket$/, ''))
})

test('[OP1] the scrape configuration asks what the server answers, and names the setting that lets it', () => {
  const scrape = text('deploy', 'prometheus.yml')
  const [hosts = ''] = found(/HOLDFAST_METRICS_HOSTS=(\S+)/g, scrape)
  expect(parseConfigValue('metrics.hosts', hosts)).toEqual({ value: hosts })
  expect(hosts.split(',')).toEqual(found(/'([\d.]+:\d+)'/g, scrape))
  for (const part of ['credentials_file:', '- prometheus-alerts.yml']) expect(scrape).toContain(part)
  expect(scrape).not.toContain('metrics_path')
})

test('[OP3] the units and the image start commands there are, with settings there are', () => {
  const files = readdirSync(join(root, 'deploy')).filter((file) => /\.service$|^Dockerfile$/.test(file))
  const all = files.map((file) => text('deploy', file)).join('\n')
  const started = [...found(/ExecStart=\/usr\/bin\/env holdfast ([a-z]+)/g, all), ...found(/^CMD \["([a-z]+)"\]/gm, all)]
  expect(started).toHaveLength(4)
  expect(started.filter((name) => !(name in commands))).toEqual([])
  const settings = new Set(configKeys.map((key) => `HOLDFAST_${key.toUpperCase().replaceAll('.', '_')}`))
  const variables = found(/(HOLDFAST_[A-Z_]+)=/g, all)
  expect(variables.filter((name) => !settings.has(name))).toEqual([])
})
