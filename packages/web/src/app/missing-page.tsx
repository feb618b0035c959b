import { Link } from '@tanstack/react-router';

/** A page that is not there. */
export function MissingPage() {
  return (
    <div className="p-6">
      <h1 className="font-semibold text-lg">There is no such page</h1>
      <p className="mt-2 text-muted">
        <Link className="text-accent underline" to="/">
          All sessions and runs
        </Link>
      </p>
    </div>
  );
}
