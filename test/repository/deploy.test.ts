/**
 * The files for those who run it as a service name only what exists: metrics, commands, variables.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isCommand } from '../../src/cli/command-list.ts'
import { configKeys } from '../../src/protocol/config.ts'
import { parseConfigValue } from '../../src/protocol/config-parsing.ts'

const root = join(import.meta.dirname, '..', '..')
const text = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')
const found = (pattern: RegExp, within: string): string[] =>
  [...within.matchAll(pattern)].map(([, name = '']) => name)

test('[OP1] every metric that an alert looks at is one the server gives', () => {
  const metrics = readdirSync(join(root, 'src', 'server', 'system')).filter((file) =>
    /metrics.*\.ts$/.test(file),
  )
  const source = metrics.map((file) => text('src', 'server', 'system', file)).join('\n')
  const named = found(
    /\b((?:holdfast|nodejs)_[a-z0-9_]+)/g,
    text('deploy', 'prometheus-alerts.yml'),
  )
  expect(named.length).toBeGreaterThan(5)
  for (const name of named) expect(source).toContain(name.replace(/_bucket$/, ''))
})

test('[OP1] the scrape configuration asks what the server answers and names its setting', () => {
  const scrape = text('deploy', 'prometheus.yml')
  const [hosts = ''] = found(/HOLDFAST_METRICS_HOSTS=(\S+)/g, scrape)
  expect(parseConfigValue('metrics.hosts', hosts)).toEqual({ value: hosts })
  expect(hosts.split(',')).toEqual(found(/'([\d.]+:\d+)'/g, scrape))
  for (const part of ['credentials_file:', '- prometheus-alerts.yml'])
    expect(scrape).toContain(part)
  expect(scrape).not.toContain('metrics_path')
})

test('[OP4] nginx passes the Host on with its port, upgrades too, and collects nothing', () => {
  const file = text('deploy', 'nginx.conf')
  const passed = new Map(
    [...file.matchAll(/^\s*proxy_set_header (\S+) (.+);$/gm)].map(([, header, value]) => [
      header,
      value,
    ]),
  )
  expect(passed.get('Host')).toBe('$http_host')
  expect([passed.get('Upgrade'), passed.get('Connection')]).toEqual([
    '$http_upgrade',
    '$holdfast_connection',
  ])
  for (const needed of ['proxy_buffering off;', 'proxy_http_version 1.1;'])
    expect(file).toContain(needed)
})

test('[OP4] the units are hardened, those that run agents as far as agents allow', () => {
  const directives = (unit: string) =>
    new Map(
      found(/^([A-Z]\w+=.*)$/gm, text('deploy', unit)).map(
        (line) => line.split('=', 2) as [string, string],
      ),
    )
  const wanted = {
    NoNewPrivileges: 'true',
    CapabilityBoundingSet: '',
    PrivateTmp: 'true',
    ProtectKernelModules: 'true',
    SystemCallArchitectures: 'native',
  }
  for (const unit of [
    'holdfast-server.service',
    'holdfast.service',
    'holdfast-coordinator.service',
  ])
    expect(Object.fromEntries(directives(unit)), unit).toMatchObject(wanted)
  const server = {
    ProtectSystem: 'strict',
    ProtectHome: 'true',
    RestrictNamespaces: 'true',
    PrivateDevices: 'true',
    SystemCallFilter: '~@privileged',
  }
  expect(Object.fromEntries(directives('holdfast-server.service'))).toMatchObject(server)
  // A sandbox of an agent's own mounts a /proc, which the kernel refuses where a part of it is
  // covered.
  for (const unit of ['holdfast.service', 'holdfast-coordinator.service'])
    for (const name of [
      'RestrictNamespaces',
      'ProtectKernelTunables',
      'ProtectKernelLogs',
      'ProtectProc',
    ])
      expect(directives(unit).has(name), `${unit} ${name}`).toBe(false)
})

test('[OP3] the units and the image start commands there are, with settings there are', () => {
  const files = readdirSync(join(root, 'deploy')).filter((file) =>
    /\.service$|^Dockerfile$/.test(file),
  )
  const all = files.map((file) => text('deploy', file)).join('\n')
  const started = [
    ...found(/ExecStart=\/usr\/bin\/env holdfast ([a-z]+)/g, all),
    ...found(/^CMD \["([a-z]+)"\]/gm, all),
  ]
  expect(started).toHaveLength(4)
  expect(started.filter((name) => !isCommand(name))).toEqual([])
  const settings = new Set(
    configKeys.map((key) => `HOLDFAST_${key.toUpperCase().replaceAll('.', '_')}`),
  )
  const variables = found(/(HOLDFAST_[A-Z_]+)=/g, all)
  expect(variables.filter((name) => !settings.has(name))).toEqual([])
})
