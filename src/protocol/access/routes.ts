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
  login: route({
    method: 'POST',
    path: '/api/login',
    anonymous: true,
    summary: 'Exchange a one-time code or a token for the cookie of the browser',
    body: Login,
  }),
  getLogin: route({
    method: 'GET',
    path: '/api/login',
    anonymous: true,
    summary: 'Whether this browser is signed in',
    answer: z.object({ signedIn: z.boolean() }),
  }),
  logout: route({
    method: 'POST',
    path: '/api/logout',
    summary: 'Sign out this browser',
  }),
  getMe: route({
    method: 'GET',
    path: '/api/me',
    summary: 'Read who this credential belongs to',
    answer: Me,
  }),
  createSignInCode: route({
    method: 'POST',
    path: '/api/sign-in-codes',
    summary: 'Create a one-time sign-in code for yourself (10 minutes)',
    status: 201,
    answer: SignInCode,
  }),
  createTicket: route({
    method: 'POST',
    path: '/api/tickets',
    summary:
      'Create a ticket for the address of a WebSocket, for browsers, which cannot send a ' +
      'token: `/ws?ticket=…`. It is valid once, for 60 seconds, with the rights of this ' +
      'credential',
    status: 201,
    answer: Ticket,
  }),
  listDevices: route({
    method: 'GET',
    path: '/api/devices',
    summary: 'List your own signed-in browsers',
    ...listOf(Device),
  }),
  removeDevice: route({
    method: 'DELETE',
    path: '/api/devices/{deviceId}',
    summary: 'Sign out one of your browsers; its open connections end at once',
  }),
  listPeople: route({
    method: 'GET',
    path: '/api/people',
    summary: 'List the people',
    ...listOf(Person),
  }),
  addPerson: route({
    method: 'POST',
    path: '/api/people',
    summary: 'Add a person; the token is returned only once',
    body: PersonDraft,
    status: 201,
    answer: PersonWithToken,
  }),
  changePerson: route({
    method: 'PATCH',
    path: '/api/people/{personId}',
    summary: 'Change the role of a person; their tokens that allow more are revoked',
    body: PersonChange,
    answer: PersonWithNewRole,
  }),
  renewPerson: route({
    method: 'POST',
    path: '/api/people/{personId}/token',
    summary: 'Give a person a new token; the old one and their browsers stop working at once',
    answer: PersonWithToken,
  }),
  removePerson: route({
    method: 'DELETE',
    path: '/api/people/{personId}',
    summary: 'Remove a person; all of their credentials stop working at once',
  }),
  listTokens: route({
    method: 'GET',
    path: '/api/tokens',
    summary: 'List the tokens that are valid',
    ...listOf(Token),
  }),
  createToken: route({
    method: 'POST',
    path: '/api/tokens',
    summary:
      'Create a token for a script, a coordinator or an editor (`door`); it is returned only once. It expires ' +
      'no later than the token that creates it',
    body: TokenDraft,
    status: 201,
    answer: TokenWithSecret,
  }),
  revokeToken: route({
    method: 'DELETE',
    path: '/api/tokens/{tokenId}',
    summary:
      'Revoke a token; it stops working at once, on open connections too. Everything ' +
      'created with it is revoked as well, including people, unless `made` is `keep`',
    query: z.object({ made: z.enum(['revoke', 'keep']).default('revoke') }),
  }),
}
