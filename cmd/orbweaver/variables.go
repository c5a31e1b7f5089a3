package main

// variablePrefix is the prefix of environment variables for settings: ORBWEAVER_MAX_TIME sets
// --max-time.
const variablePrefix = "ORBWEAVER_"

// frontierVariable is the environment variable with the address of a shared crawl.
const frontierVariable = variablePrefix + "FRONTIER"
