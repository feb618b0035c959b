// The entry of a thread that takes what is given to it and dies.
process.exit(1);
