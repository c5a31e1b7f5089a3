package main

// variablePrefix is the prefix of environment variables for settings: ORBWEAVER_MAX_TIME sets
// --max-time.
const variablePrefix = "ORBWEAVER_"

// frontierVariable is the environment variable with the address of a shared crawl.
const frontierVariable = variablePrefix + "FRONTIER"

// archiveKeyVariable is the environment variable with the KEY:SECRET of an account at an archive.
const archiveKeyVariable = variablePrefix + "ARCHIVE_KEY"
