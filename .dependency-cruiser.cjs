/**
 * The import directions (docs/architecture.md, "Import directions"): doors → server → services → store → domain; the command line and the
 * page stand on the other side of a wire and use the client. Everything is refused that is not listed here.
 */

/** Where concrete things are built and put together, with or without a server; the only layers without a direction. */
const compositionRoot = '^src/(compose|offline)/'

/** What each layer of src/ may import, itself aside. */
const mayImport = {
  domain: [],
  protocol: ['domain'],
  platform: ['domain', 'protocol'],
  store: ['domain', 'protocol', 'platform'],
  services: ['domain', 'protocol', 'platform', 'store'],
  server: ['domain', 'protocol', 'platform', 'store', 'services'],
  doors: ['domain', 'protocol', 'platform', 'store', 'services', 'server', 'adapters'],
  mirror: ['domain', 'protocol', 'platform', 'store'],
  adapters: ['domain', 'protocol', 'platform', 'store', 'services'],
  jobs: ['domain', 'protocol', 'platform', 'store', 'services', 'server', 'mirror', 'adapters'],
  demo: ['domain', 'protocol', 'platform'],
  embedded: ['domain', 'protocol', 'platform', 'store', 'services'],
  coordinator: ['protocol', 'platform', 'past-sessions'],
  client: ['domain', 'protocol', 'platform'],
  'past-sessions': ['domain', 'protocol', 'platform'],
  cli: ['domain', 'protocol', 'platform', 'client', 'past-sessions'],
}

const directions = Object.entries(mayImport).map(([room, others]) => ({
  name: `${room}-imports-only-what-it-may`,
  comment: `src/${room} may import ${[room, ...others].join(', ')} and nothing else of ours.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|web|test|bench|scripts)/',
    pathNot: [
      `^src/(${[room, ...others].join('|')})/`,
      // The command line starts the server, and only through the composition root.
      ...(room === 'cli' ? [compositionRoot] : []),
    ],
  },
}))

/** The packages inside the bundle that is published. The rest is for building and testing; all of them are development dependencies. */
const bundled = [
  '@agentclientprotocol/sdk',
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/server',
  'commander',
  'cookie',
  'fastify',
  'grammy',
  'kysely',
  'pg',
  'pino',
  'temporal-polyfill',
  'uqr',
  'ws',
  'zod',
]

module.exports = {
  forbidden: [
    ...directions,
    {
      name: 'areas-import-no-flows',
      comment: 'What crosses areas of src/services is a flow, above them: flows → areas → store.',
      severity: 'error',
      from: { path: '^src/services/', pathNot: '^src/services/(flows/|registry\\.ts$)' },
      to: { path: '^src/services/flows/' },
    },
    {
      name: 'a-door-knows-no-other',
      comment: 'A door is deleted with its folder and its line in door-list.ts.',
      severity: 'error',
      from: { path: '^src/doors/([^/]+)/' },
      to: { path: '^src/doors/', pathNot: '^src/doors/($1/|door\\.ts$)' },
    },
    {
      name: 'only-the-list-knows-doors',
      comment: 'The composition root gets them from door-list.ts.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/doors/' },
      to: { path: '^src/doors/[^/]+/' },
    },
    {
      name: 'domain-is-pure',
      comment: 'Decisions need no clock, no randomness, no I/O and no library.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: {
        dependencyTypes: [
          'core',
          'npm',
          'npm-dev',
          'npm-optional',
          'npm-peer',
          'npm-no-pkg',
          'npm-unknown',
        ],
      },
    },
    {
      name: 'browser-code-needs-no-node',
      comment: 'protocol/, client/ and the page run in a browser.',
      severity: 'error',
      from: { path: ['^src/(protocol|client)/', '^web/src/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'client-needs-no-library-at-run-time',
      comment: 'The client knows the wire by its types alone, so the page stays small.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { dependencyTypes: ['npm', 'npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-takes-types-from-platform',
      comment: 'The client runs in a browser; of platform/ it knows the shapes only.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/platform/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-uses-client-and-protocol',
      comment: 'The page knows the server by the wire only.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(src|test|bench|scripts)/', pathNot: '^src/(client|protocol)/' },
    },
    {
      name: 'only-the-composition-root-builds',
      comment: 'A store driver or a server is made in the composition root and nowhere else.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [compositionRoot, '^src/store/(sqlite|postgres)/', '^src/server/'],
      },
      to: {
        path: [
          '^src/store/(sqlite|postgres)/',
          '^src/server/(http/http-listener|start-listeners)\\.ts$',
        ],
      },
    },
    {
      name: 'only-the-command-line-starts-things',
      comment: 'The composition root is used by the command line, by the library and by itself.',
      severity: 'error',
      from: {
        path: '^(src|web)/',
        pathNot: [compositionRoot, '^src/cli/', '^src/main\\.ts$', '^src/library\\.ts$'],
      },
      to: { path: [compositionRoot, '^src/main\\.ts$'] },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: '^(src|web)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
    {
      name: 'no-cycles',
      comment: 'Type-only imports are erased, so they make no cycle that runs.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'product-imports-only-what-it-is-made-of',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^node_modules/',
        pathNot: `^node_modules/(${bundled.join('|')})/`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: { path: '^(src|web)/' },
      to: { couldNotResolve: true, pathNot: '^virtual:' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules/\\.cache)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.css'],
    },
  },
}
