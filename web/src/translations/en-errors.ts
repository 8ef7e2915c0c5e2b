/**
 * What the page says for each code of the error catalogue, in English: what happened, and what to
 * do now.
 */
import type { Problem } from '../../../src/protocol/problem.ts'

export interface ErrorWords {
  readonly title: string
  readonly next: string
}

export type ErrorsWords = Record<Problem['code'], ErrorWords>

const again = 'Try again in a moment.'

export const errors: ErrorsWords = {
  invalid_request: { title: 'The server did not understand this', next: 'Check what you entered.' },
  unknown_type: {
    title: 'The server does not know this message',
    next: 'Reload the page; it may be older than the server.',
  },
  unauthenticated: { title: 'You are not signed in', next: 'Sign in with a new link.' },
  authentication_failed: {
    title: 'The sign-in was not accepted',
    next: 'Sign in with a new link.',
  },
  forbidden_host: {
    title: 'The server does not know this address',
    next: 'Use the address it printed when it started.',
  },
  forbidden_origin: {
    title: 'The server does not accept this page',
    next: 'Use the address it printed when it started.',
  },
  missing_scope: { title: 'You may not do this', next: 'Ask an owner of this installation.' },
  not_yours: { title: 'Only its person may do this', next: 'Ask the person whose it is.' },
  method_not_allowed: {
    title: 'The server does not do this here',
    next: 'Reload the page; it may be older than the server.',
  },
  not_found: { title: 'It is not there any more', next: 'It may have been deleted elsewhere.' },
  user_session_not_found: { title: 'This console is not there any more', next: 'Open a new one.' },
  agent_not_found: { title: 'This agent is not there any more', next: 'Choose another one.' },
  folder_taken: {
    title: 'Another project has this folder',
    next: 'Open that project, or choose another folder.',
  },
  already_exists: { title: 'This id or name is taken', next: 'Choose another one.' },
  session_ended: { title: 'This agent has left', next: 'Start it again.' },
  user_session_terminated: { title: 'This console was ended', next: 'Open a new one.' },
  role_taken: {
    title: 'Another agent has this role',
    next: 'Choose another role, or end that agent.',
  },
  agent_not_active: {
    title: 'This agent is not ready',
    next: 'Wait until it is ready, or start it again.',
  },
  approval_decided: {
    title: 'This was decided already',
    next: 'The decision is shown on the approval.',
  },
  task_blocked: {
    title: 'This task waits for another',
    next: 'Finish the tasks it depends on first.',
  },
  wrong_state: {
    title: 'This cannot be done now',
    next: 'Look at its state, then choose something else.',
  },
  work_session_running: { title: 'This work is still running', next: 'End it first.' },
  work_session_completed: { title: 'This work is completed', next: 'Start new work.' },
  set_aside: {
    title: 'This work session was set aside',
    next: 'It could not be resumed twice in a row. Begin a new one; its files keep what it knew.',
  },
  last_owner: {
    title: 'The owner of the installation stays',
    next: 'Change or remove other people instead.',
  },
  fenced: { title: 'Another machine has taken over', next: 'Nothing to do here.' },
  launch_withdrawn: { title: 'This start is not needed any more', next: 'Nothing to do here.' },
  option_needed: { title: 'This is a question with options', next: 'Choose the answer.' },
  would_lose: {
    title: 'Something would be lost with it',
    next: 'Look at what it is, then commit it, merge it, or confirm.',
  },
  worktree_in_use: {
    title: 'Somebody works in this worktree',
    next: 'Terminate the agent first, then try again.',
  },
  merge_conflict: {
    title: 'It cannot be merged without conflicts',
    next: 'Nothing was changed on either side. Copy the git command and resolve them in your own checkout.',
  },
  empty_comment: { title: 'A comment needs words', next: 'Write what you want to say.' },
  no_such_line: {
    title: 'This line is not part of the changes',
    next: 'Load the changes again.',
  },
  no_such_file: {
    title: 'This file is not part of the changes',
    next: 'Load the changes again.',
  },
  nothing_to_send: { title: 'There is no draft to send', next: 'Write a comment first.' },
  plan_changed: {
    title: 'Something has changed since you looked',
    next: 'Nothing more was done. Look at the new plan, then press again.',
  },
  agent_works: {
    title: 'The agent works there now',
    next: 'Wait until its turn is over, or stop it.',
  },
  branch_of_another: {
    title: 'This branch is not there, or is somebody else’s',
    next: 'Choose a branch of the repository, or one of your own.',
  },
  base_in_use: {
    title: 'The branch is checked out with changes of its own',
    next: 'Commit them or put them aside, or copy the git command.',
  },
  branch_protected: {
    title: 'Nothing is landed into this branch directly',
    next: 'Open a pull request instead.',
  },
  markers_left: {
    title: 'There are conflict markers in the changes',
    next: 'Let the agent resolve them.',
  },
  nothing_to_land: {
    title: 'There is nothing to land',
    next: 'The branch has everything already.',
  },
  check_failed: {
    title: 'The check of the project failed',
    next: 'Its output is below. The commit stays on its branch.',
  },
  remote_changed: {
    title: 'The repository names another remote than before',
    next: 'Nothing was sent. Confirm the address that is meant.',
  },
  remote_moved: {
    title: 'The branch at the remote was moved by others',
    next: 'Bring their work in first.',
  },
  lfs_push: {
    title: 'Large files have to be uploaded with git-lfs',
    next: 'Copy the command and run it in the worktree.',
  },
  push_refused: {
    title: 'The push was not taken',
    next: 'Its answer is below. Set a token for the host, or push it yourself.',
  },
  host_refused: {
    title: 'The host did not take this',
    next: 'Its answer is below. Check the host and the token.',
  },
  no_token: {
    title: 'There is no token for this host',
    next: 'Set one with `holdfast hosts add HOST`, or push by hand.',
  },
  no_remote: { title: 'There is no remote to push to', next: 'Add one to the repository.' },
  needs_filter: {
    title: 'A filter is needed, and Holdfast runs none',
    next: 'Let the agent commit, or use git there by hand.',
  },
  git_refused: { title: 'git did not do it', next: 'Its words are below. Nothing was removed.' },
  too_large: { title: 'This is too large', next: 'Make it shorter.' },
  unsupported_media_type: { title: 'The server did not understand this', next: 'Reload the page.' },
  invalid_setting: {
    title: 'This setting cannot have that value',
    next: 'The range is beside it.',
  },
  folder_missing: {
    title: 'There is no such folder',
    next: 'Make the folder first, or correct the path.',
  },
  folder_refused: { title: 'No project may have this folder', next: 'Choose another folder.' },
  invalid_key: {
    title: 'This conversation key cannot be used',
    next: 'Use letters and digits without slashes.',
  },
  invalid_name: { title: 'This name cannot be used', next: 'Choose another one.' },
  invalid_progress: {
    title: 'Progress goes from 0 to 100',
    next: 'Enter a whole number in that range.',
  },
  invalid_hold: {
    title: 'A decision is held for 1 to 10 seconds',
    next: 'Send a whole number in that range.',
  },
  sharing_stays: {
    title: 'What is shared stays shared',
    next: 'Delete the session if nobody is to see it.',
  },
  dependency_cycle: {
    title: 'These tasks would wait for each other',
    next: 'Remove one of the dependencies.',
  },
  unknown_schema_version: {
    title: 'This was written by a newer version',
    next: 'Upgrade Holdfast first.',
  },
  idempotency_key_reused: {
    title: 'The server saw this request with other content',
    next: 'Send it once more.',
  },
  rate_limited: { title: 'Too many attempts', next: 'Wait a minute, then try again.' },
  too_many_connections: { title: 'Too many pages are open', next: 'Close some, then try again.' },
  resume_failed: {
    title: 'The work could not be taken up',
    next: 'Nothing was begun. Try once more, or see why in its details.',
  },
  internal: {
    title: 'Something went wrong on the server',
    next: 'Try again; its log has the details.',
  },
  busy: { title: 'The store is busy', next: again },
  file_not_written: {
    title: 'The file beside the database cannot be written',
    next: 'What it would say is safe in the store, and it is tried again.',
  },
  store_unavailable: {
    title: 'The store cannot be written',
    next: 'Run holdfast doctor on the server: it says what is wrong.',
  },
  coordinator_away: {
    title: 'The machine that has it is not connected',
    next: 'Start Holdfast or its coordinator there, then try again.',
  },
  no_answer: {
    title: 'Its machine has not answered in time',
    next: 'Look at the state before you try again: it may have been done.',
  },
  shutting_down: { title: 'The server is stopping', next: again },
}
