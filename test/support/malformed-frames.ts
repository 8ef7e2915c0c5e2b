/** Frames that no editor sends, drawn anew: no JSON, no message, no method, no such fields. */
import { fc } from './property.ts'

const methods = [
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/resume',
  'session/list',
  'session/fork',
  'session/delete',
  'session/close',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_config_option',
  '_holdfast/attach',
  '$/cancel_request',
  'session/update',
  'constructor',
  '__proto__',
]

const value = fc.oneof(
  fc.anything({ maxDepth: 2, withBigInt: false }),
  fc.constantFrom(null, '', -1, 1e308, [], {}, '../../etc/passwd', '/proc/self/environ', '\u0000'),
)
const params = fc.oneof(
  value,
  fc.dictionary(
    fc.constantFrom(
      'sessionId',
      'cwd',
      'prompt',
      'mcpServers',
      '_meta',
      'modeId',
      'cursor',
      'after',
    ),
    value,
  ),
)
const frame = fc.oneof(
  fc.string(),
  fc.json(),
  fc.record(
    { jsonrpc: fc.constantFrom('2.0', '1.0', 2), id: value, method: value, params },
    { requiredKeys: [] },
  ),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom(...methods),
    params,
  }),
  fc.record({ jsonrpc: fc.constant('2.0'), method: fc.constantFrom(...methods), params }),
  fc.record({ jsonrpc: fc.constant('2.0'), id: value, result: value, error: value }),
)

export const malformedFrames = (count: number): string[] =>
  fc.sample(frame, count).map((each) => {
    try {
      return (typeof each === 'string' ? each : JSON.stringify(each)) ?? 'undefined'
    } catch {
      return '{'
    }
  })
