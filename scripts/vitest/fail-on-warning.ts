// Makes a warning of Node (deprecation, leaked listener) in a test process an unhandled error,
// which fails the run.

process.on('warning', (warning) => {
  throw warning;
});
