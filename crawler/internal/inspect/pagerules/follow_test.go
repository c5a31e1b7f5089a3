package pagerules

import (
	"strings"
	"testing"
)

// Links that only a script can follow, and a elements that lead nowhere.
func TestFollow(t *testing.T) {
	const byScript, missing, placeholder = "link-not-crawlable@1:1", "href-missing@1:1", "link-placeholder@1:1"
	testRules(t, "https://example.com/", Accessibility, "link-text-empty", []ruleTest{
		{`<a onclick="location='/prices'">Prices</a>`, byScript},
		{`<a onclick="window.location.href = urls[3]">Prices</a>`, byScript},
		{`<a onclick="document.location.assign(u)">Prices</a>`, byScript},
		{`<a onclick='window.open("/prices")'>Prices</a>`, byScript},
		{`<a href="#" onclick="location.href='/prices'">Prices</a>`, byScript},
		{`<a href="javascript:void(0)" onclick="location.href='/prices'">Prices</a>`, byScript},
		{`<a routerlink="/prices">Prices</a>`, byScript},
		{`<a [routerLink]="['/prices']">Prices</a>`, byScript},
		{`<a ui-sref="prices">Prices</a>`, byScript},
		{`<span role="link" data-href="/prices">Prices</span>`, byScript},
		{`<span role=link tabindex=0>Prices</span>`, byScript},
		{`<tr onclick="window.location = '/prices'"><td>Prices`, byScript},
		{`<div onclick="location.href=` + "`/prices`" + `">Prices</div>`, byScript},

		// They have an address.
		{`<a href="/prices" onclick="location='/prices?js'; return false">Prices</a>`, ""},
		{`<a routerlink="/prices" href="/prices">Prices</a>`, ""},
		{`<a role=link href="/prices">Prices</a>`, ""},
		{`<map><area href=/prices role=link alt=Prices></map>`, ""},
		{`<a href="/prices"><img onclick="location='/prices?image'" alt=Prices src=a></a>`, ""},
		// They are no links: a control, the current page, a link that is off, what a component may be.
		{`<button onclick="location='/prices'">Prices</button><button routerlink="/prices">Prices</button>`, ""},
		{`<select onchange="location=this.value"></select><input onclick="location='/prices'" aria-label=x>`, "label-missing@1:1"},
		{`<a role=link aria-current=page>Prices</a><a role=link aria-disabled=true>Prices</a>`, ""},
		{`<mat-item routerlink="/prices">Prices</mat-item><ion-item role=link>Prices</ion-item>`, ""},
		// The script does something else.
		{`<div onclick="location.hash='x'">Top</div><div onclick="location='#top'">Top</div><div onclick="location = next">Next</div>`, ""},
		{`<div onclick="if (location.href == '/prices') open()">x</div><p onclick="relocation='x'">x</p>`, ""},
		{`<svg><a onclick="location='/x'"><path/></a></svg>`, ""},
		{`<div hidden><a onclick="location='/prices'">Prices</a></div>`, ""},

		{`<a>Prices</a>`, missing},
		{`<a class="button">Prices</a>`, missing},
		{`<a title="dict"><code>dict</code></a>`, missing}, // the title does not replace the text that is quoted
		{`<a onclick="toggle()"><b>Prices</b></a>`, missing},
		{`<a></a><a class="icon"> </a>`, ""},
		{`<a id="x">Prices</a><a name=x>Prices</a><a role=button>Prices</a><a tabindex=0>Prices</a><a aria-current=page>Prices</a><a aria-disabled=true>Prices</a>`, ""},
		{`<p hidden><a>Prices</a></p><template><a>Prices</a></template>`, ""},

		{`<a href="#">Prices</a>`, placeholder},
		{`<a class="x" href="#">Prices</a>`, placeholder},
		{`<a href=" # " onclick="menu()">Prices</a>`, placeholder},
		{`<a href="&#35;">Prices</a>`, placeholder},
		{`<a href="#top">Prices</a><a href="">Prices</a><a href="x#">Prices</a>`, ""},
		{`<a class="a href=" href="x">Prices</a><a title="#" href="x">Prices</a>`, ""},
	})
}

// The groups say it only once, and only of what is looked at.
func TestDoctypeAndOpenGraph(t *testing.T) {
	const others = "title-missing description-missing h1-missing"
	testRules(t, "https://example.com/", SEO, others, []ruleTest{
		{"", ""},
		{" \n<!-- a -->", ""},
		{"\r\n<!DocType html><p>x", ""},
		{"<!-- a --><!--> <?xml version='1.0'?><!x><!doctype html><p>x", ""},
		{`<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"><p>x`, ""},
		{"<!-- a", ""},
		{"x<!doctype html>", "doctype-missing@1:1"},
		{"\n<html><p>x", "doctype-missing@1:1"},
		{`<meta http-equiv=refresh content="0; url=b">`, ""},
	})
	testRules(t, "https://example.com/", SEO, others+" doctype-missing", []ruleTest{
		{`<meta property="og:title" content="T"><meta property="og:" content=""><meta property="fb:app" content="">`, ""},
		{`<meta property="og:title" content=" ">`, "og-empty@1:1"},
		{`<meta property="OG:URL"><meta property=og:image content="">`, "og-empty@1:1 og-empty@1:25"},
		{`<template><meta property="og:title" content=""></template>`, ""},
	})
	testRules(t, "https://example.com/", Images|I18n, "lang-missing", []ruleTest{
		{"<p>x" + strings.Repeat(" ", 10) + `<meta property="og:title" content=""><meta property="og:image" content="a">`, ""},
	})
}
