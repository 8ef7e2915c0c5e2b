/** Describes failures of Slack for the owner, without tokens (SE7). */
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api'
import { ChannelFailure, codeOf, isNeverReached } from '../../adapters/port.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { mask } from '../../platform/log/mask.ts'

const platform = 'Slack'

/** What Slack's errors mean; others are its own trouble. */
const kinds = {
  token:
    'invalid_auth not_authed account_inactive token_revoked token_expired ' +
    'not_allowed_token_type no_permission org_login_required',
  right: 'missing_scope access_denied ekm_access_denied',
  gone:
    'channel_not_found not_in_channel is_archived channel_is_archived user_disabled ' +
    'cannot_dm_bot restricted_action thread_not_found messages_tab_disabled',
  faulty:
    'msg_too_long no_text invalid_blocks msg_blocks_too_long invalid_arguments ' +
    'invalid_metadata_format cant_update_message edit_window_closed message_not_found',
  busy: 'ratelimited rate_limited',
} as const
type Kind = keyof typeof kinds

const kindOf = (code: string): Kind | undefined =>
  (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind].split(' ').includes(code))

export function failureOf(error: unknown, setting = 'slack.bot_token'): ChannelFailure {
  if (error instanceof ChannelFailure) return error
  if (error instanceof WebAPIRateLimitedError)
    return new ChannelFailure(
      'busy',
      statusNotice('platformBusy', { platform }),
      error.retryAfter * 1000,
    )
  if (error instanceof WebAPIPlatformError) return refusedBy(error.data.error, setting)
  if (error instanceof WebAPIHTTPError) {
    const why = `HTTP ${error.statusCode}`
    return new ChannelFailure('unknown', statusNotice('platformTrouble', { platform, why }))
  }
  const code = codeOf(error instanceof WebAPIRequestError ? error.original : error)
  if (isNeverReached(code))
    return new ChannelFailure(
      'unreachable',
      statusNotice('platformUnreachable', { platform, code, setting: 'slack.api_root' }),
    )
  const why = code || mask(error instanceof Error ? error.message : String(error))
  return new ChannelFailure('unknown', statusNotice('platformSilent', { platform, why }))
}

function refusedBy(code: string, setting: string): ChannelFailure {
  const about = { platform, why: mask(code) }
  switch (kindOf(code)) {
    case 'token':
      return new ChannelFailure('refused', statusNotice('platformToken', { ...about, setting }))
    case 'right':
      return new ChannelFailure('refused', statusNotice('platformMissesRight', about))
    case 'gone':
      return new ChannelFailure('gone', statusNotice('platformClosed', about))
    case 'faulty':
      return new ChannelFailure('faulty', statusNotice('platformRefused', about))
    case 'busy':
      return new ChannelFailure('busy', statusNotice('platformBusy', { platform }))
    default:
      // What was asked may have been done all the same.
      return new ChannelFailure('unknown', statusNotice('platformTrouble', about))
  }
}
