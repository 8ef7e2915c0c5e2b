/** Signing in, people, tokens. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import {
  Device,
  Login,
  Me,
  Person,
  PersonChange,
  PersonDraft,
  PersonWithNewRole,
  PersonWithToken,
  SignInCode,
  Ticket,
  Token,
  TokenDraft,
  TokenWithSecret,
} from './people.ts'

export const accessRoutes = {
  login: route('POST /api/login', 'nobody', {
    body: Login,
  })`Exchange a one-time code or a token for the cookie of the browser`,
  getLogin: route('GET /api/login', 'nobody', {
    answer: z.object({ signedIn: z.boolean() }),
  })`Whether this browser is signed in`,
  logout: route('POST /api/logout', 'anybody')`Sign this browser out`,
  getMe: route('GET /api/me', 'anybody', { answer: Me })`Who this credential is`,
  createSignInCode: route('POST /api/sign-in-codes', 'anybody', {
    status: 201,
    answer: SignInCode,
  })`
    Make a one-time sign-in code for oneself (10 minutes)`,
  createTicket: route('POST /api/tickets', 'anybody', { status: 201, answer: Ticket })`
    Make a ticket for the address of a WebSocket, where a browser can send no token: \`/ws?ticket=…\`. It is good once and for 60 seconds, with the rights of this credential`,
  listDevices: route(
    'GET /api/devices',
    'anybody',
    listOf(Device),
  )`List the browsers that one is signed in with oneself`,
  removeDevice: route('DELETE /api/devices/{deviceId}', 'anybody')`
    Sign one of one’s own browsers out; what it has open ends at once`,
  listPeople: route('GET /api/people', 'read', listOf(Person))`List the people`,
  addPerson: route('POST /api/people', 'manage', {
    body: PersonDraft,
    status: 201,
    answer: PersonWithToken,
  })`
    Add a person; the token is in this answer and never again`,
  changePerson: route('PATCH /api/people/{personId}', 'manage', {
    body: PersonChange,
    answer: PersonWithNewRole,
  })`
    Change the role of a person; tokens of theirs that allow more are revoked`,
  renewPerson: route('POST /api/people/{personId}/token', 'manage', { answer: PersonWithToken })`
    Give a person a new token; the old one and their browsers stop working at once`,
  removePerson: route('DELETE /api/people/{personId}', 'manage')`
    Remove a person; every credential of theirs stops working at once`,
  listTokens: route('GET /api/tokens', 'manage', listOf(Token))`List the tokens that are valid`,
  createToken: route('POST /api/tokens', 'manage', {
    body: TokenDraft,
    status: 201,
    answer: TokenWithSecret,
  })`
    Make a token for a script or a coordinator; it is in this answer and never again. It expires with the token it is made with, at the latest`,
  revokeToken: route('DELETE /api/tokens/{tokenId}', 'manage', {
    query: z.object({ made: z.enum(['revoke', 'keep']).default('revoke') }),
  })`
    Revoke a token; it stops working at once, on open connections too. So does all that was made with it, people who were added as well, unless \`made\` is \`keep\``,
}
