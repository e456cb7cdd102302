package api

// DashboardPage is the check of a page to come back to.
var DashboardPage = dashboardPage
