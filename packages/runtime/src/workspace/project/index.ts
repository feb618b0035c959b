export { withFileLock } from './lock.ts';
export { findProject, locateProject, openProject, readProject } from './open.ts';
export { type PersonHead, type PersonRef, type PersonRefs, readPersonHead, readPersonRefs } from './refs.ts';
export { findRepository, type Repository } from './repository.ts';
export { type SyncedBase, type SyncRequest, syncBase } from './sync.ts';
